"""A trained pair in a page, to play with in a browser: `spatial-game play --html`."""

from __future__ import annotations

from spatial_game.cli.players import Players
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.web.play.page import PairInPage


def pair_in_page(players: Players, lexicon: Lexicon | None) -> PairInPage:
    """Return a trained pair for a page. Raises `ValueError` for other agents and games."""
    if "name" not in players.identity:
        raise ValueError(f"agents must be a trained pair to play in a browser; got {players.name}")
    from spatial_agents.pairs.names import weights_path
    from spatial_agents.pairs.tensor_files import read_weights
    from spatial_agents.recipes import BLANK, SHARP

    weights = read_weights(weights_path(players.identity["name"], players.identity["index"]))
    agent, game = weights.agent, weights.game
    if players.config != game:
        raise ValueError(
            f"html must have the pair's own game, {game.signature}; got {players.config.signature}"
        )
    return PairInPage(
        players.name.removesuffix("/0"),
        game,
        agent.kind,
        agent.inputs,
        agent.scaling(len(game.integers)),
        weights.tensors,
        players.sender,
        {"blank": BLANK, "sharp": SHARP},
        lexicon,
    )

"""The frames of a film: the pairs that a training run kept, and what they send for the same windows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from spatial_game.cli.terminal import progress

if TYPE_CHECKING:
    from spatial_game.game.episodes import Episodes, IntArray
    from spatial_game.game.evaluation import AgentPair
    from spatial_game.language.film.film import Reel

FEWEST_CANDIDATES, FEWEST_SLOTS = 4, 2
"""Parts of messages can be exchanged in a game with at least these numbers."""


class Frames(NamedTuple):
    """The pairs to play."""

    unit: Literal["step", "generation"]
    times: tuple[int, ...]
    files: dict[str, tuple[Path, ...]]
    """The pairs of each sender, one for each time, by the name of their folder."""
    replaced: tuple[tuple[tuple[int, str], ...], ...] = ()
    """When a sender, or the receiver of its pair, was replaced by a newcomer: steps and roles."""


def find_frames(folder: Path, most: int) -> Frames:
    """Return the frames of a run, at most this number. Raises `ValueError` if there are fewer than two."""
    if not folder.is_dir():
        raise ValueError(f"run must be the folder of a training run; got {folder}")
    pairs = sorted(path for path in folder.iterdir() if path.is_dir() and path.name.isdecimal())
    recipe = _recipe(folder)
    if recipe.get("iterate", 0) > 0 and pairs:
        found = {int(pair.name): pair / "pair.safetensors" for pair in pairs}
        finished = {number: path for number, path in found.items() if path.is_file()}
        return _spaced(folder, "generation", {folder.name: finished}, most)
    if (folder / "history").is_dir() or not pairs:
        pairs = [folder]
    elif max(recipe.get("senders", 1), recipe.get("receivers", 1)) > 1:
        pairs = pairs[: recipe.get("senders", 1)]  # pair i has the sender i modulo their number
    kept = {
        pair.name: {int(f.stem): f for f in pair.glob("history/*.safetensors") if f.stem.isdecimal()}
        for pair in pairs
    }
    return _spaced(folder, "step", kept, most)._replace(replaced=_replaced(recipe, len(kept)))


def _spaced(
    folder: Path, unit: Literal["step", "generation"], kept: Mapping[str, Mapping[int, Path]], most: int
) -> Frames:
    """Return the frames at times that all senders share, evenly spaced if there are too many."""
    shared = sorted(set.intersection(*(set(times) for times in kept.values())))
    if len(shared) < 2:
        how = ", which `train --keep-every` keeps" if unit == "step" else ""
        raise ValueError(f"run must have at least two {unit}s to show{how}; got {len(shared)} in {folder}")
    rows = np.unique(np.linspace(0, len(shared) - 1, min(most, len(shared))).round().astype(int))
    times = tuple(shared[row] for row in rows)
    return Frames(unit, times, {name: tuple(files[time] for time in times) for name, files in kept.items()})


def _recipe(folder: Path) -> dict[str, Any]:
    """Return the recipe of a run; nothing if it has no config."""
    from spatial_agents.pairs.card import read_json

    config = folder / "config.json"
    options = read_json(config).get("options") if config.is_file() else None
    recipe = options.get("recipe") if isinstance(options, dict) else None
    return recipe if isinstance(recipe, dict) else {}


def _replaced(recipe: dict[str, Any], senders: int) -> tuple[tuple[tuple[int, str], ...], ...]:
    """Return when networks of the first pairs were replaced: `Frames.replaced`."""
    if recipe.get("reset", "none") == "none":
        return ((),) * senders
    from spatial_agents.recipes import Recipe
    from spatial_agents.training.lives import ROLES, life, pairs_of

    known, found = Recipe.from_dict(recipe), []
    for pair in pairs_of(known)[:senders]:
        steps = []
        for role, index in zip(ROLES, pair, strict=True):
            end = life(known, role, index, 0).end
            while end < (known.steps or 0):
                steps.append((end, role))
                end = life(known, role, index, end).end
        found.append(tuple(sorted(steps)))
    return tuple(found)


def play(frames: Frames, num_episodes: int, seed: int) -> Reel:
    """Let the pairs of all frames play the same episodes, and read their languages.

    Raises `ValueError` for pairs of different games, and for a file that is not that of a pair.
    """
    from spatial_agents import load_pair
    from spatial_game.game.episodes import draw_episodes
    from spatial_game.game.evaluation import won_by
    from spatial_game.game.seeds import stream
    from spatial_game.language.counting.counts import count
    from spatial_game.language.dictionary.lexicon import Lexicon
    from spatial_game.language.film.film import Reel
    from spatial_game.recording import Recording

    first = next(iter(frames.files.values()))[0]
    config = load_pair(first).config
    episodes = draw_episodes(config, num_episodes, np.random.default_rng(stream(seed, "film")))
    messages, lexicons, accuracy, effects = [], [], [], []
    with progress("playing", len(frames.files) * len(frames.times)) as advance:
        for file in (file for files in frames.files.values() for file in files):
            pair = load_pair(file)
            if pair.config != config:
                raise ValueError(
                    f"{file}: must be of the game of {first}, {config.signature}; got {pair.config.signature}"
                )
            sent = pair.sender.send(episodes.window)
            messages.append(sent)
            lexicons.append(
                Lexicon.from_counts(count(Recording(config, window=episodes.window, message=sent)))
            )
            accuracy.append(won_by(pair.receiver, sent, episodes).mean())
            effects.append(exchanged(pair, episodes, sent, seed))
            advance(1)
    shape, number = (len(frames.files), len(frames.times)), len(frames.times)
    return Reel(
        config,
        frames.unit,
        frames.times,
        tuple(frames.files),
        episodes.window,
        np.reshape(messages, (*shape, *messages[0].shape)),
        [lexicons[row : row + number] for row in range(0, len(lexicons), number)],
        np.reshape(accuracy, shape),
        np.reshape(effects, (*shape, 2)),
        frames.replaced,
    )


def exchanged(pair: AgentPair, episodes: Episodes, message: IntArray, seed: int) -> tuple[float, float]:
    """Return the effects of an exchanged integer's part and offset's part (see `studies.composition`).

    They are NaN if parts of the messages (B, T) cannot be exchanged.
    """
    from spatial_game.game.seeds import stream
    from spatial_game.language.counting.columns import middle_column
    from spatial_game.language.measures.alignment import align
    from spatial_game.studies.composition import join_messages

    config = pair.config
    few = config.num_candidates < FEWEST_CANDIDATES or config.message_length < FEWEST_SLOTS
    if few or not (episodes.mask_column == middle_column(config)).any():
        return np.nan, np.nan
    rng = np.random.default_rng(stream(seed, "film", 1))
    joined = join_messages(pair, align(config, episodes.window, message, rng), episodes.sequence, rng)
    return (np.nan, np.nan) if joined is None else (joined.integer, joined.offset)

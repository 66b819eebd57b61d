"""A person in the place of one of the agents, with the dictionary at hand: `spatial-game play --as`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from spatial_game.cli.players import Players
from spatial_game.cli.terminal import Output
from spatial_game.game.episodes import MASK, Episodes, IntArray, draw_episodes
from spatial_game.game.rules import check_messages
from spatial_game.language.counting.columns import column_meaning, window_columns
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.lexicon.referents import place
from spatial_game.language.speaking.compose import Composer
from spatial_game.language.speaking.decode import Decoder

Ask = Callable[[str], str]
READINGS = 4
"""Readings of a message that are shown."""


def play_as(
    role: str,
    players: Players,
    lexicon: Lexicon | None,
    num_episodes: int,
    seed: int,
    output: Output,
    ask: Ask = input,
) -> dict[str, Any]:
    """Let a person play `num_episodes` as receiver or sender, and keep score against the agent of that role.

    The person ends the game with `q` or the end of the input. `ask` puts a question and returns the answer.
    Raises `ValueError` for a seed below 0.
    """
    if seed < 0:
        raise ValueError(f"seed must be at least 0; got {seed}")
    episodes = draw_episodes(players.config, num_episodes, np.random.default_rng(seed))
    turn = {"receiver": _as_receiver, "sender": _as_sender}[role]
    played = won = agent_won = 0
    for number in range(num_episodes):
        output.heading(f"Episode {number + 1} of {num_episodes}")
        result = turn(players, lexicon, episodes[number : number + 1], output, ask)
        if result is None:
            break
        played, won, agent_won = played + 1, won + result[0], agent_won + result[1]
        output.say(f"  score: you {won}, the {role} {agent_won}, of {played}")
    return {"role": role, "played": played, "won": won, "agent_won": agent_won}


def _as_receiver(
    players: Players, lexicon: Lexicon | None, episode: Episodes, output: Output, ask: Ask
) -> tuple[bool, bool] | None:
    message = check_messages(players.sender.send(episode.window), players.config, 1)
    candidates = episode.candidates[0].tolist()
    output.say(f"  sequence    {' '.join(map(str, episode.sequence[0].tolist()))}")
    output.say(f"  message     {message[0].tolist()}", *_readings(message[0], lexicon))
    output.say(f"  candidates  {' '.join(map(str, candidates))}")
    choice = _until(
        ask,
        "  Which of the candidates? ",
        lambda answer: candidates.index(int(answer)),
        "one of the candidates",
    )
    if choice is None:
        return None
    agent = int(players.receiver.choose(message, episode.sequence, episode.candidates)[0])
    target = int(episode.target_index[0])
    output.say(f"  it was {candidates[target]}; the receiver chose {candidates[agent]}")
    return choice == target, agent == target


def _as_sender(
    players: Players, lexicon: Lexicon | None, episode: Episodes, output: Output, ask: Ask
) -> tuple[bool, bool] | None:
    config = players.config
    cells = " ".join("?" if k == MASK else str(k) for k in episode.window[0].tolist())
    output.say(f"  window      {cells}   (the target is the ?)", *_suggestions(episode.window[0], lexicon))

    def message_of(answer: str) -> IntArray:
        return check_messages([[int(s) for s in answer.replace(",", " ").split()]], config, 1)

    rule = f"{config.message_length} symbols of 0..{config.vocab_size - 1}"
    said = _until(ask, f"  Your message, {rule}: ", message_of, rule)
    if said is None:
        return None
    own = check_messages(players.sender.send(episode.window), config, 1)
    both = [players.receiver.choose(m, episode.sequence, episode.candidates)[0] for m in (said, own)]
    target = episode.target_index[0]
    chosen = episode.candidates[0, both[0]]
    output.say(
        f"  the receiver chose {chosen}, it was {episode.target[0]}; the sender says {own[0].tolist()}"
    )
    return bool(both[0] == target), bool(both[1] == target)


def _readings(message: IntArray, lexicon: Lexicon | None) -> list[str]:
    """What the dictionary says of a message."""
    if lexicon is None:
        return []
    found = Decoder(lexicon).read(message)[:READINGS]
    return [f"    {r.meaning}  (NPMI {r.strength:.2f})" for r in found] or ["    not in the dictionary"]


def _suggestions(window: IntArray, lexicon: Lexicon | None) -> list[str]:
    """What the dictionary can say of a window: the strongest phrase of each of its cells."""
    if lexicon is None:
        return []
    composer = Composer(lexicon)
    lines = []
    for column in window_columns(composer.config, window[None])[0].tolist():
        phrase = composer.strongest(column)
        if phrase is not None:
            edge, value, offset = column_meaning(composer.config, column)
            meaning = edge if offset is None else f"{value} is {place(offset)}"
            lines.append(f"    {phrase.tolist()}  {meaning}")
    return lines or ["    the dictionary has nothing for this"]


def _until(ask: Ask, question: str, understand: Callable[[str], Any], rule: str) -> Any:
    """Ask until the answer is understood, saying the rule if not; None when the person has had enough."""
    while True:
        try:
            answer = ask(question).strip()
        except EOFError:
            return None
        if answer.lower() in ("q", "quit"):
            return None
        try:
            return understand(answer)
        except (ValueError, TypeError):
            question = f"  It must be {rule}; got {answer or 'nothing'}. Again, or q to stop: "

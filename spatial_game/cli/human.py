"""A person plays one of the roles, with the help of the dictionary: `spatial-game play --as`."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
from rich.text import Text

from spatial_game.checks import shortened
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import has_colour, stdout_console
from spatial_game.config import GameConfig
from spatial_game.errors import UserError
from spatial_game.game.checking import check_messages
from spatial_game.game.episodes import Episodes, IntArray, draw_episodes
from spatial_game.game.evaluation import chosen_by
from spatial_game.game.policies import Agents
from spatial_game.game.rules import UNSENT, play
from spatial_game.game.scene import Scene
from spatial_game.game.seeds import random_stream
from spatial_game.language.dictionary.dictionary import Dictionary
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.language.dictionary.texts import reading_text
from spatial_game.language.speaking import Speaker
from spatial_game.rendering.text import message_text, receiver_ansi, sender_ansi

RULES = {
    "receiver": "You are the receiver. One of the {candidates} candidates, which stand in brackets in the "
    "sequence, is the target. The sender has seen only the cells around it, and has sent you the message. "
    "Type the number of a candidate, which stands below it; q ends the game.",
    "sender": "You are the sender. Underscores stand for the target; you see only the cells around it. The "
    "receiver gets your message, the whole sequence and {candidates} candidates, and has to find the target. "
    "Type {length} symbols of 0..{last}, or the number of a suggestion; q ends the game.",
}

TRIED = 50
"""The messages with most bits, of which those that are true are suggested."""


Turn: TypeAlias = Generator[Report, None, tuple[bool, bool] | None]
"""Yields what is shown; returns whether the person and the agent are right, or None when the person stops."""


@dataclass(frozen=True)
class Person:
    """A person who plays a role. `ask` puts a question and returns the answer."""

    role: Literal["receiver", "sender"]
    agents: Agents
    dictionary: Dictionary | None
    ask: Callable[[str], str] = input

    def play(self, num_episodes: int, seed: int) -> Iterator[Report]:
        """Let the person play, and keep score against the agent of this role: the data of the last report.

        A report is to be shown before the next one is asked for, as an answer may be waited for then. The
        person ends the game with `q` or by closing the input.
        """
        config = self.agents.config
        episodes = draw_episodes(config, num_episodes, np.random.default_rng(random_stream(seed, "person")))
        turn = self._receive if self.role == "receiver" else self._send
        played = won = agent_won = 0
        sizes = {"length": config.message_length, "last": config.vocab_size - 1}
        yield told(RULES[self.role].format(candidates=config.num_candidates, **sizes), indent="")
        for number in range(num_episodes):
            begun = Report()
            begun.heading(f"Episode {number + 1} of {num_episodes}")
            yield begun
            result = yield from turn(episodes[number : number + 1])
            if result is None:
                break
            played, won, agent_won = played + 1, won + result[0], agent_won + result[1]
        score = f"You won {won} of {played}; the {self.role} would have won {agent_won}."
        ended = Report(role=self.role, played=played, won=won, agent_won=agent_won)
        ended.paragraphs(score if played else "You finished no episode.")
        yield ended

    def _receive(self, episode: Episodes) -> Turn:
        """Let the person choose, as the receiver does."""
        candidates, target = episode.candidates[0].tolist(), int(episode.target_index[0])
        message, agents_choice = self._agents_play(episode)
        scene = Scene(self.agents.config, episode, message)
        yield seen(receiver_ansi, scene, dictionary=self.dictionary)
        choice = yield from self._answer("Your choice: ", partial(choice_of, num_candidates=len(candidates)))
        if choice is None:
            return None
        yield told(
            f"{'Right' if choice == target else 'Wrong'}: the target is {candidates[target]}, "
            f"in {shown_window(scene)}.",
            *self._meaning("The message says", scene),
            f"The receiver of {self.agents.name} chooses {candidates[agents_choice]}.",
        )
        return choice == target, agents_choice == target

    def _send(self, episode: Episodes) -> Turn:
        """Let the person speak to the receiver, as the sender does."""
        config = self.agents.config
        candidates, target = episode.candidates[0].tolist(), int(episode.target_index[0])
        yield seen(sender_ansi, Scene(config, episode, np.full(config.message_length, UNSENT)))
        offered = (
            [] if self.dictionary is None else suggestions(Speaker(self.dictionary, config), episode.window)
        )
        yield told(
            *(f"Suggestion {i}: {message}  {words}" for i, (message, words) in enumerate(offered, 1)),
            *self._legend(" ".join(words for _, words in offered)),
        )
        understand = partial(message_of, config=config, suggestions=[message for message, _ in offered])
        messages = yield from self._answer("Your message: ", understand)
        if messages is None:
            return None
        choice = int(chosen_by(self.agents.receiver, messages, episode)[0])
        message, agents_choice = self._agents_play(episode)
        symbols, meaning = message.tolist(), self._meaning("It means", Scene(config, episode, message))
        verdict = "Right" if choice == target else f"Wrong, it is {candidates[target]}"
        yield told(
            f"The receiver chooses {candidates[choice]}. {verdict}.",
            f"The sender of {self.agents.name} says {symbols}; with it, the receiver chooses "
            f"{candidates[agents_choice]}.",
            *meaning,
            *self._legend(" ".join(meaning)),
        )
        return choice == target, agents_choice == target

    def _agents_play(self, episode: Episodes) -> tuple[IntArray, int]:
        """Return the message (T,) and the choice of the agents."""
        messages, choices = play(self.agents.sender, self.agents.receiver, episode, self.agents.config)
        return messages[0], int(choices[0])

    def _meaning(self, label: str, scene: Scene) -> list[str]:
        return [f"{label}: {message_text(scene, self.dictionary)}."] if self.dictionary else []

    def _legend(self, text: str) -> list[str]:
        """Return what the classes in a text stand for."""
        return interpreter(self.dictionary).legend(text) if self.dictionary else []

    def _answer(self, question: str, understand: Callable[[str], Any]) -> Generator[Report, None, Any]:
        """Ask until the answer is valid, and return it; None when the person stops."""
        while True:
            try:
                answer = self.ask(f"  {question}").strip()
                return None if answer.lower() in ("q", "quit") else understand(answer)
            except EOFError:
                return None
            except UnicodeDecodeError:
                yield told("An answer must be plain text")
            except UserError as error:
                yield told(f"{error}; got {shortened(answer) if answer else 'nothing'}")


def told(*sentences: str, indent: str = "  ") -> Report:
    """Return a report of sentences, each as a paragraph."""
    report = Report()
    report.paragraphs(*sentences, indent=indent, apart=False)
    return report


def seen(ansi: Callable[..., str], scene: Scene, **options: Any) -> Report:
    """Return a report of what the person sees."""
    console, report = stdout_console(), Report()
    text = ansi(scene, colour=has_colour(console), width=console.width - 2, **options)
    report.lines(*(Text.from_ansi(f"  {line}") for line in text.splitlines()))
    return report


def suggestions(speaker: Speaker, window: IntArray) -> list[tuple[list[int], str]]:
    """Return messages for a window (1, W), the best first, each with what it says; at most one for each cell.

    Nothing that they say is untrue of the window.
    """
    means, messages = interpreter(speaker.dictionary), speaker.suggest(window[0], TRIED)
    true = [
        (message, reading_text(reading, means.classes))
        for message, reading in zip(messages.tolist(), means.read(messages), strict=True)
        if reading.is_sure and reading.true_of(window)[0]
    ]
    return true[: window.shape[1] - 1]


def shown_window(scene: Scene) -> str:
    """Return the integers of the window, hidden ones too; the target is in brackets, and rows end with /."""
    sequence, target = scene.episode.sequence[0].tolist(), int(scene.episode.target_position[0])
    shown = [f"[{sequence[c]}]" if c == target else str(sequence[c]) for c in scene.window_cells]
    side = scene.config.window_shape[-1]
    return " / ".join(" ".join(shown[start : start + side]) for start in range(0, len(shown), side))


def choice_of(answer: str, num_candidates: int) -> int:
    """Return the number of a candidate. Raises `ValueError` for any other answer."""
    if not re.fullmatch(r"\d{1,9}", answer) or int(answer) >= num_candidates:
        raise UserError(f"A choice must be the number of a candidate, 0 to {num_candidates - 1}")
    return int(answer)


def message_of(answer: str, config: GameConfig, suggestions: Sequence[Sequence[int]]) -> IntArray:
    """Return the message (1, T) that an answer means: its symbols, or the number of a suggestion.

    Where messages have one symbol, a number is that symbol. Raises `ValueError` for any other answer.
    """
    well_formed = re.fullmatch(r"[\d\s,\[\]]*", answer)
    symbols = [int(symbol) for symbol in re.findall(r"\d{1,9}", answer)] if well_formed else []
    if len(symbols) == 1 and config.message_length > 1:
        symbols = list(dict(enumerate(suggestions, 1)).get(symbols[0], ()))
    try:
        return check_messages([symbols], config, 1)
    except UserError:
        rule = f"{config.message_length} symbols of 0..{config.vocab_size - 1}"
        others = ", or the number of a suggestion" if suggestions else ""
        raise UserError(f"A message must be {rule}{others}") from None

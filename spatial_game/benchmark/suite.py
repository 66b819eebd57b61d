"""The languages of the benchmark, each made from its name and seed alone."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from spatial_game.benchmark import attributes, nothing, trained
from spatial_game.benchmark.corpus import Corpus, entry_of, meanings_of
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.dictionary.referents import senses_of
from spatial_game.language.synthetic import HARD_LANGUAGES, LANGUAGES

Suite = Literal["quick", "full"]
Track = Literal["spatial", "attributes", "nothing", "trained"]
GAME = GameConfig()
SPATIAL = LANGUAGES | HARD_LANGUAGES
JUDGED = 20_000
"""Messages without noise, which say where forms stand."""
HARD = (*HARD_LANGUAGES, "larger-of-two", "prefix-code", "mixed-lengths")
"""Spatial languages that count twice: with a second seed."""
QUICK_SPATIAL = (
    "compositional",
    "slot-invariant",
    "two-bands",
    "zipf-synonyms",
    "order-free",
    "negation",
    "context-words",
    "comparison",
    "larger-of-two",
)
QUICK_ATTRIBUTES = (
    attributes.Parameters(samples=500),
    attributes.Parameters(samples=50, shuffled=True),
    attributes.Parameters(synonyms=3, uniform=False),
    attributes.Parameters(sparse=True, shuffled=True),
    attributes.Parameters(longest=4, symbols=50, shuffled=True),
    attributes.Parameters(longest=4, symbols=10, polysemy=0.15, extra=0.5),
    attributes.Parameters(mixed=True),
    attributes.Parameters(mixed=True, sparse=True, longest=4, symbols=50),
)


@dataclass(frozen=True)
class Task:
    """One language to read."""

    track: Track
    language: str
    episodes: int
    noise: float = 0.0
    seed: int = 0

    @property
    def name(self) -> str:
        """The name, from which a file is named."""
        noise = f"-noise-{100 * self.noise:g}" if self.noise else ""
        return f"{self.track}/{self.language}{noise}-n{self.episodes}-seed{self.seed}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for a row of results."""
        return {
            "track": self.track,
            "language": self.language,
            "episodes": self.episodes,
            "noise": self.noise,
            "seed": self.seed,
        }

    @property
    def needs_pairs(self) -> bool:
        """Whether the language is that of a network, trained or not."""
        return self.track == "trained" or self.language in trained.UNTRAINED

    def make(self) -> Corpus:
        """Return the messages of the language, from a random stream of its own.

        Raises `ValueError` for a trained language whose pair no installed package offers.
        """
        digest = hashlib.sha256(f"{self.track}/{self.language}".encode()).digest()
        entropy = [self.seed, int.from_bytes(digest[:8], "big")]
        rng = np.random.default_rng(np.random.SeedSequence(entropy))
        if self.track == "attributes":
            return attributes.make(_PARAMETERS[self.language], rng)
        if self.track == "trained":
            return trained.make(self.language, self.episodes, rng)
        if self.language in trained.UNTRAINED:
            return trained.make_untrained(self.language, self.episodes, rng)
        if self.track == "nothing":
            return nothing.make(self.language, self.episodes, rng)
        return spatial(self.language, self.episodes, self.noise, rng)


def task_of(row: Mapping[str, Any]) -> Task:
    """Return the task of a row of results."""
    size, noise, seed = int(row["episodes"]), float(row["noise"]), int(row["seed"])
    return Task(row["track"], row["language"], size, noise, seed)


def spatial(name: str, num_episodes: int, noise: float, rng: np.random.Generator) -> Corpus:
    """Return the messages of a known spatial language in the paper's game, and its true dictionary."""
    of_language, of_episodes = rng.spawn(2)
    language = SPATIAL[name](GAME, of_language, noise=noise)
    episodes = draw_episodes(GAME, num_episodes, of_episodes)
    truth = {
        entry_of(form, sense, GAME) for form, referent in language.truth for sense in senses_of(referent)
    }
    forms = language.send(episodes.window)
    clean = language.without_noise().send(episodes.window[:JUDGED])
    return Corpus(forms, meanings_of(GAME, episodes.window), frozenset(truth), clean)


_PARAMETERS = {each.name: each for each in [*attributes.grid(), *QUICK_ATTRIBUTES]}


def tasks(suite: Suite = "quick") -> list[Task]:
    """Return the languages of a suite, in a fixed order."""
    return [*(_quick if suite == "quick" else _full)()]


def _quick() -> Iterator[Task]:
    yield from (Task("spatial", name, 20_000) for name in QUICK_SPATIAL)
    yield Task("spatial", "compositional", 20_000, noise=0.1)
    yield Task("spatial", "two-bands", 20_000, noise=0.1)
    yield from (Task("attributes", each.name, each.samples) for each in QUICK_ATTRIBUTES)
    yield from (Task("nothing", name, 20_000) for name in NOTHING)
    yield from (Task("trained", name, 20_000) for name in trained.QUICK)


def _full() -> Iterator[Task]:
    """Yield rounds of everything, so that the first tasks are a fair sample."""
    grid = attributes.grid()
    order = np.random.default_rng(0).permutation(len(grid)).tolist()
    pairs = [f"{name}/{i}" for name, number in trained.PAIRS.items() for i in range(number)]
    for seed, part in enumerate(np.array_split(order, 5)):
        yield from (Task("attributes", grid[i].name, grid[i].samples) for i in part.tolist())
        yield from (Task("nothing", name, 20_000, seed=seed) for name in NOTHING)
        yield from (Task("trained", name, 20_000) for name in pairs[seed::5])
        if seed < len(SIZES):
            noises = (0.0, 0.05, 0.1)
            for name, noise in itertools.product(SPATIAL, noises):
                yield Task("spatial", name, SIZES[seed], noise)
                if name in HARD:
                    yield Task("spatial", name, SIZES[seed], noise, seed=1)


NOTHING = (*nothing.KINDS, *trained.UNTRAINED)
SIZES = (20_000, 200_000, 2_000)
"""Episodes of the spatial languages."""

"""What a reproduction measures, as values: tables of the report read them, and JSON files hold them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from spatial_game.config import GameConfig
from spatial_game.language.npmi.message_types import TypeShare
from spatial_game.language.npmi.settings import Estimator
from spatial_game.proportions import Proportion

ESTIMATORS: tuple[Estimator, ...] = ("text", "code", "exact")

PAPERS_CELL, BEST_CELL = "paper's", "best"
REPORTED_CELLS = (PAPERS_CELL, BEST_CELL)
"""Cells of the grid of thresholds in which phrases are measured: the one that the paper prints, for all
pairs, and the best one of each pair, which is chosen on its receiver."""
PARTS = ("offset", "integer")
"""The parts of composed phrases, which minimal pairs exchange."""
FALSE, SYMBOL_0, RANDOM_SYMBOLS = "false", "zero", "other"
"""Controls of phrases: messages of phrases that are not true, and other symbols in place of the offset."""


@dataclass(frozen=True)
class SampleSizes:
    """Numbers of episodes."""

    recorded: int = 300_000
    """Recorded messages for dictionaries."""
    choosing: int = 20_000
    """For each kind of phrases in each cell of the grid."""
    reported: int = 20_000
    """For every reported accuracy."""


QUICK = SampleSizes(recorded=100_000, choosing=1_000, reported=4_000)


@dataclass(frozen=True)
class PhraseSet:
    """How many phrases of one kind a cell of the grid has, and how well the receiver understands them."""

    num_phrases: int
    accuracy: Proportion
    """On the episodes on which the best cell is chosen."""


@dataclass(frozen=True)
class GridCell:
    """The types of messages, and the phrases, at one t_c and t_n."""

    threshold: float
    top_n: int
    types: dict[str, TypeShare]
    """By the keys of `MESSAGE_TYPES`, and `READABLE`."""
    phrases: dict[str, PhraseSet]
    """By kind of phrases; kinds without phrases are left out."""


@dataclass(frozen=True)
class PhraseAccuracy:
    """How well a receiver understands the phrases of one kind: table 2."""

    threshold: float
    top_n: int
    """The cell of the grid from which the phrases are."""
    num_phrases: int
    num_beyond: int
    """Phrases with an offset beyond the window's radius, which only windows at an edge show."""
    accuracy: Proportion
    expressible: Proportion
    """Ordinary episodes that such phrases can express."""
    false: Proportion
    """With messages of phrases that are not true there; nothing is asked where all are true."""
    own: Proportion
    """With the sender's own messages."""
    counted: Proportion
    """With the message that was most often sent where the phrase is true: from counts alone, without NPMI."""
    random: Proportion
    """With a random symbol in every slot."""
    controls: dict[str, Proportion]
    """Composed phrases with other symbols in place of their offset: `SYMBOL_0` and `RANDOM_SYMBOLS`."""

    def understood(self, control: str | None = None) -> Proportion:
        """Return the accuracy, or that of a control: one of `controls`, or `FALSE`."""
        if control == FALSE:
            return self.false
        return self.controls[control] if control else self.accuracy

    def gain(self, control: str | None, chance: float) -> float | None:
        """Return the accuracy less that of a control, or less chance; None for a control without episodes."""
        without = self.understood(control)
        floor = without.accuracy if control else chance
        return self.accuracy.accuracy - floor if without.trials else None


@dataclass(frozen=True)
class Exchange:
    """What a receiver chooses when one part of composed phrases is exchanged for another.

    The phrase names the first position before the exchange, and another position after it.
    """

    first_before: Proportion
    """Choices of the first position before the exchange."""
    first_after: Proportion
    """After it: fewer, if the part has an effect."""
    other_before: Proportion
    """Choices of the other position before the exchange."""
    other_after: Proportion
    """After it: more, if the part has an effect."""
    both_followed: Proportion
    """The first position was chosen before the exchange, and the other one after it."""

    @property
    def effect(self) -> float | None:
        """How much more often a position is chosen when it is named; None if nothing was asked.

        0 for a part without effect, 1 for one that is always followed.
        """
        if not self.first_before.trials:
            return None
        first = self.first_before.accuracy - self.first_after.accuracy
        return (first + self.other_after.accuracy - self.other_before.accuracy) / 2

    def ceiling(self, chance: float) -> float | None:
        """Return the effect if the receiver followed the part whenever it understands the phrase.

        A receiver that finds the position with probability a, and else chooses at random, understands the
        phrase in a + (1 - a) * chance of the episodes, and has the effect a. None if nothing was asked.
        """
        if not self.first_before.trials:
            return None
        return max(0.0, (self.first_before.accuracy - chance) / (1 - chance))


@dataclass(frozen=True)
class EstimatorResult:
    """What is measured with the associations of one estimator."""

    cells: list[GridCell]
    """Table 1, and the accuracy in each cell."""
    phrases: dict[str, dict[str, PhraseAccuracy]]
    """Table 2, by `REPORTED_CELLS` and by kind of phrases; kinds without phrases are left out."""
    exchanges: dict[str, dict[str, Exchange]]
    """By `REPORTED_CELLS` and by the part that is exchanged; empty without composed phrases."""

    def at(self, threshold: float, top_n: int) -> GridCell:
        """Return the cell of the grid with these thresholds."""
        return next(cell for cell in self.cells if (cell.threshold, cell.top_n) == (threshold, top_n))


@dataclass(frozen=True)
class AssociationRow:
    """An association at the default settings: table 3."""

    kind: str
    message: str
    meaning: str
    npmi: float
    confidence: float
    count: int


@dataclass(frozen=True, kw_only=True)
class PairDetails:
    """A pair of agents, and what a report says of its training."""

    name: str
    config: GameConfig
    family: str
    """The pairs over which tables give a mean."""
    population: str = ""
    """The population in which the pair was trained: its pairs are one training; empty for other pairs."""
    weights_hash: str | None = None
    recipe: str = ""
    """The recipe of the training, if known."""
    inputs: str = ""
    """How integers enter the networks, if known."""


@dataclass(frozen=True, kw_only=True)
class PairResult(PairDetails):
    """Everything that is measured of one pair."""

    measured_by: str
    """The version of this package, and the commit in a checkout."""
    training: list[tuple[float, float]]
    """Episodes and validation accuracies during training."""
    play: Proportion
    distinct_messages: int
    lengths: dict[str, dict[int, Proportion]]
    """Accuracy on sequences shortened by some integers, with the first integers and with any: table 7."""
    edges: int
    """Edges that have messages of their own."""
    edge_messages: int
    most_used: list[AssociationRow]
    """The most used associations of each kind."""
    by_estimator: dict[str, EstimatorResult]

    @property
    def chance(self) -> float:
        """The accuracy of a random choice."""
        return 1 / self.config.num_candidates

    def phrases(self, estimator: str, cell: str, kind: str) -> PhraseAccuracy | None:
        """Return how phrases of a kind are understood; None if the pair has none in that cell."""
        return self.by_estimator[estimator].phrases[cell].get(kind)

    def exchange(self, estimator: str, cell: str, part: str) -> Exchange | None:
        """Return what the receiver chooses when a part is exchanged; None without composed phrases."""
        return self.by_estimator[estimator].exchanges[cell].get(part)

    def types(self, estimator: str, kind: str) -> list[TypeShare]:
        """Return how much of the pair's messages is of a type, in each cell of the grid."""
        return [cell.types[kind] for cell in self.by_estimator[estimator].cells]

    def change(self, integers: str, less: int) -> float | None:
        """Return how the accuracy changes with sequences shortened by `less`; None if it was not measured."""
        lengths = self.lengths[integers]
        return lengths[less].accuracy - lengths[0].accuracy if less in lengths else None


@dataclass(frozen=True)
class Results:
    """What is measured of several pairs."""

    pairs: dict[str, PairResult]
    sizes: SampleSizes
    seed: int

    @property
    def signature(self) -> str:
        """What the numbers depend on besides the pairs: episodes, seed, version and commit."""
        made_by = dict.fromkeys(pair.measured_by for pair in self.pairs.values())
        return f"n{self.sizes.reported} of n{self.sizes.recorded} | seed {self.seed} | {', '.join(made_by)}"

    def signature_of(self, pair: PairResult) -> str:
        """What the numbers of a pair depend on."""
        weights = f"weights {pair.weights_hash[:19]}" if pair.weights_hash else "no weights"
        own = replace(self, pairs={pair.name: pair})
        return f"{pair.config.signature} | {own.signature} | {weights}"

    def to_dict(self) -> dict[str, object]:
        """Return everything, for JSON."""
        return {**vars(self), "signature": self.signature}

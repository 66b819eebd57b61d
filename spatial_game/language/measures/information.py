"""Entropy of messages and symbols, and what they tell of the sender's factors."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from spatial_game.language.measures.corpus import Corpus
from spatial_game.language.measures.factors import Factor
from spatial_game.language.measures.measure import Measure, report
from spatial_game.language.measures.resampling import Floats, Groups, ratio

SHANNON = "Shannon 1948"
MILLER = "Miller 1955 (Miller-Madow)"

NO_MESSAGES = "there are no messages"
NO_SYMBOLS = "there are no symbols"


def entropy_bias(num_codes: int, size: int) -> float:
    """What a plug-in entropy falls short by on average, in bits, to first order (Miller 1955)."""
    return (num_codes - 1) / (2 * size * np.log(2)) if size else 0.0


def mutual_information(groups: Groups, one: Factor, other: Factor) -> Floats:
    """(G+1,), the plug-in mutual information of two factors in bits.

    Biased upwards, by about (cells seen - values of one - values of the other + 1) / (2 n ln 2) bits (Miller
    1955; Roulston 1999), which for many messages is much: compare it with the same of shuffled messages.
    """
    together = one.codes.astype(np.int64) * other.size + other.codes
    joint = groups.entropies(together, one.size * other.size)
    apart = groups.entropies(one.codes, one.size) + groups.entropies(other.codes, other.size)
    return np.asarray(np.maximum(apart - joint, 0.0))


def entropies(corpus: Corpus, shuffled: list[Corpus], groups: Groups) -> list[Measure]:
    """The entropy of whole messages, of symbols, and of the symbols of each slot, in bits.

    Shuffled: the symbols of each slot are permuted among the messages. That leaves single symbols as they
    are; for whole messages it shows how far their symbols depend on each other.
    """
    whole = _message_entropy(corpus, groups)
    chance = [_message_entropy(copy, Groups.none(len(copy))) for copy in shuffled]
    correction = entropy_bias(len(corpus.types[0]), len(corpus))
    symbols = _symbol_entropy(corpus, groups)
    share = ratio(symbols, np.log2(max(corpus.num_symbols, 1)))
    corrected = [
        of_copy + entropy_bias(len(copy.types[0]), len(copy))
        for of_copy, copy in zip(chance, shuffled, strict=True)
    ]
    rows: list[tuple[str, Floats, list[Floats], str, str]] = [
        ("message entropy", whole, chance, SHANNON, NO_MESSAGES),
        ("message entropy, corrected", whole + correction, corrected, MILLER, NO_MESSAGES),
        ("symbol entropy", symbols, [symbols], SHANNON, NO_SYMBOLS),
    ]
    return [
        *(
            report(name, value, copies, unit="bits", source=source, undefined=why, bounds=(0.0, np.inf))
            for name, value, copies, source, why in rows
        ),
        report(
            "symbol entropy / log2(vocabulary)",
            share,
            [share],
            unit="share",
            source=SHANNON,
            undefined="the vocabulary has fewer than two symbols, or none occurs",
            bounds=(0.0, 1.0),
        ),
    ]


def _message_entropy(corpus: Corpus, groups: Groups) -> Floats:
    types, number = corpus.types
    return groups.entropies(number, max(len(types), 1))


def _symbol_entropy(corpus: Corpus, groups: Groups) -> Floats:
    """(G+1,), the entropy of a symbol drawn from all messages."""
    inside = corpus.inside
    symbol = corpus.numbered[inside]
    owner = np.broadcast_to(groups.group[:, None], inside.shape)[inside]
    return Groups(owner, groups.count).entropies(symbol, max(len(corpus.symbols), 1))


def told_of_factors(
    corpus: Corpus, known: list[Factor], orders: list[npt.NDArray[np.intp]], groups: Groups
) -> list[Measure]:
    """The mutual information of the whole message with each of the sender's factors, in bits.

    Shuffled: the windows are permuted among the messages (`orders`). The shuffled value is the bias of the
    estimate; what exceeds it is information.
    """
    types, number = corpus.types
    message = Factor("message", number, max(len(types), 1))
    none = Groups.none(len(corpus))
    found = []
    for factor in known:
        chance = [mutual_information(none, message, factor.permuted(order)) for order in orders]
        found.append(
            report(
                f"information on the {factor.name}",
                mutual_information(groups, message, factor),
                chance,
                unit="bits",
                source=SHANNON,
                undefined=NO_MESSAGES,
                bounds=(0.0, np.inf),
            )
        )
    return found

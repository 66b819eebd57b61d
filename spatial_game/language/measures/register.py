"""The register of measures, with their units and sources, and what they cannot see."""

from __future__ import annotations

from spatial_game.language.measures.information import information
from spatial_game.language.measures.measure import Measure
from spatial_game.language.measures.messages import (
    different_messages,
    different_symbols,
    message_entropy,
    symbol_entropy,
)
from spatial_game.language.measures.sample import Sample
from spatial_game.language.measures.structure import (
    context_independence,
    disentanglements,
    topographic_similarity,
)

PACKAGE, CHAO = "this package", "Chao, Wang & Jost 2013"

MEASURES = (
    Measure(different_messages, unit="count", source=PACKAGE, shuffle=Sample.mixed),
    Measure(message_entropy, unit="bits", source=CHAO, shuffle=Sample.mixed, has_interval=True),
    Measure(different_symbols, unit="count", source=PACKAGE),
    Measure(symbol_entropy, unit="bits", source=CHAO, has_interval=True),
    Measure(
        information,
        unit="bits an episode",
        source=f"{CHAO}; Vinh et al. 2010",
        shuffle=Sample.shuffled,
        adjusted=True,
        has_interval=True,
        blind_spot="Mutual information is what one who knows the language perfectly learns from a message. "
        "`describe` prints what its dictionary explains of held-out episodes: on average at most as much.",
    ),
    Measure(
        disentanglements,
        unit="share",
        source="Chaabouni et al. 2020",
        shuffle=Sample.shuffled,
        blind_spot="Disentanglement asks whether each part of a message tells the integer at one offset. It "
        "is low if one part names an offset and another one the integer there, though such a language is "
        "compositional.",
        undefined="no slot varies, or no number of a symbol's occurrences",
    ),
    Measure(
        context_independence,
        unit="share",
        source="Bogin et al. 2018",
        shuffle=Sample.shuffled,
        blind_spot="Context independence asks whether an integer at an offset has a symbol of its own. It is "
        "low in all languages with fewer symbols than integers at offsets.",
        undefined="no window shows an integer",
    ),
    Measure(
        topographic_similarity,
        unit="correlation",
        source="Brighton & Kirby 2006",
        shuffle=Sample.shuffled,
        minimum=-1.0,
        has_interval=True,
        max_episodes=20_000,
        blind_spot="Topographic similarity asks whether similar windows have similar messages. It is far "
        "below 1 if a message names one cell, whether or not it has parts, as the other cells then change "
        "nothing.",
        undefined="all messages, or all windows, are equally far apart",
    ),
)

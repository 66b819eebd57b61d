"""The known languages, each a function that codes it for a game."""

from __future__ import annotations

from functools import partial

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig, require
from spatial_game.game.episodes import IntArray
from spatial_game.game.windows import place_coordinates
from spatial_game.language.counting.forms import Form
from spatial_game.language.counting.places import middle_column
from spatial_game.language.known.language import FREE, Code, MakeLanguage, language
from spatial_game.language.known.parts import (
    DealtSymbols,
    Order,
    among,
    as_tuple,
    draw_distinct,
    edge_truth,
    fewest_symbols,
    in_groups,
    join,
    middle_offsets,
    offset_truth,
    pair_truth,
    part_truth,
    without_parts,
)
from spatial_game.language.known.windows import WINDOW_LANGUAGES
from spatial_game.language.meaning import Meaning


def compositional(config: GameConfig, rng: np.random.Generator, order: Order = "first") -> Code:
    """One symbol for the offset, an n-gram of the other T-1 slots for the integer.

    `order`: the offset is in the first, the middle or the last slot. An edge is a whole message: a reserved
    symbol in all slots except the last, which tells the edges apart.
    """
    parts = DealtSymbols.of("compositional", config, rng, config.message_length - 1)
    words = parts.words(rng, len(config.integers), order)
    pairs = join(parts.offsets, words, order)
    phrases = np.concatenate([parts.edges, pairs])[:, None]
    truth = edge_truth(config, parts.edges) | part_truth(config, parts.offsets, words, order)
    return Code(phrases, truth, parts.rest)


def mixed_lengths(config: GameConfig, rng: np.random.Generator) -> Code:
    """Like `compositional`, with words of two lengths, T-1 and T-2; short words leave a random slot.

    Short words begin with symbols that no long word has. Up to half of the integers, as the vocabulary
    allows, get a short word. Needs messages of at least 3 symbols.
    """
    length = config.message_length - 1
    require(length >= 2, "mixed lengths need message_length >= 3", config.message_length)
    parts = DealtSymbols.of("mixed lengths", config, rng, length, disjoint=True, spare=1)
    num_integers = len(config.integers)
    long_base = fewest_symbols(num_integers, length)
    long_symbols, short_symbols = parts.rest[:long_base], parts.rest[long_base:]
    num_short = min(num_integers // 2, len(short_symbols) ** min(length - 1, 20))
    short = draw_distinct(rng, short_symbols, length - 1, num_short)
    long = draw_distinct(rng, long_symbols, length, num_integers - num_short)
    free = np.full((num_short, 1), FREE, np.int16)
    words = rng.permutation(np.concatenate([np.concatenate([short, free], axis=1), long]))
    phrases = np.concatenate([parts.edges, join(parts.offsets, words, "first")])[:, None]
    truth = edge_truth(config, parts.edges) | part_truth(config, parts.offsets, words, "first")
    return Code(phrases, truth, long_symbols)


def by_axis(config: GameConfig, rng: np.random.Generator) -> Code:
    """One symbol for each axis of the offset, and an n-gram in the other slots for the integer.

    Each edge repeats its own symbol. Each axis, the edges and the words need separate symbols.
    """
    axes, steps = len(config.shape), 2 * config.window_radius + 1
    length = config.message_length - axes
    require(length >= 1, f"by axis needs message_length >= {axes + 1}", config.message_length)
    base = fewest_symbols(len(config.integers), length)
    sides = config.window_size - 1
    needed = sides + axes * steps + base
    require(config.vocab_size >= needed, f"by axis needs vocab_size >= {needed}", config.vocab_size)
    symbols = rng.permutation(config.vocab_size).astype(np.int16)
    edges = np.repeat(symbols[:sides, None], config.message_length, axis=1)
    of_axis, rest = np.split(symbols[sides:], [axes * steps])
    places = np.delete(place_coordinates(config), middle_column(config), axis=0)
    offsets = of_axis.reshape(axes, steps)[np.arange(axes), places]
    words = draw_distinct(rng, rest[:base], length, len(config.integers))
    pairs = np.column_stack([np.tile(offsets, (len(words), 1)), np.repeat(words, len(offsets), axis=0)])
    named = {(Form(as_tuple(word), axes), (Meaning(None, (k,)),)) for k, word in enumerate(words)}
    placed = {
        (Form(as_tuple(o), 0), (Meaning(m, ()),))
        for o, m in zip(offsets, middle_offsets(config), strict=True)
    }
    truth = edge_truth(config, edges) | named | placed
    phrases = np.concatenate([edges, pairs])[:, None]
    return Code(phrases, truth, symbols)


def slot_invariant(config: GameConfig, rng: np.random.Generator) -> Code:
    """The parts of `compositional` in either order, drawn at random in each episode: forms in any slot.

    Offsets and integers need separate symbols.
    """
    parts = DealtSymbols.of("slot-invariant", config, rng, config.message_length - 1, disjoint=True)
    words = parts.words(rng, len(config.integers), "first")
    edges = np.repeat(parts.edges[:, None], 2, axis=1)
    pairs = np.stack([join(parts.offsets, words, "first"), join(parts.offsets, words, "last")], axis=1)
    anywhere = {
        (Form(form.symbols, None), r) for form, r in part_truth(config, parts.offsets, words, "first")
    }
    truth = edge_truth(config, parts.edges) | anywhere
    return Code(np.concatenate([edges, pairs]), truth, parts.rest)


def holistic(config: GameConfig, rng: np.random.Generator) -> Code:
    """A whole message for each edge and each integer at an offset, drawn from all messages: no parts.

    If by chance messages with the same part have one integer or one offset, messages are drawn again.
    """
    num_meanings = (config.window_size - 1) * (1 + len(config.integers))
    symbols = np.arange(config.vocab_size, dtype=np.int16)
    require(
        config.vocab_size**config.message_length >= num_meanings,
        f"holistic needs vocab_size**message_length >= {num_meanings}, its number of meanings",
        f"{config.vocab_size}**{config.message_length}",
    )
    messages = draw_distinct(rng, symbols, config.message_length, num_meanings)
    sides = config.window_size - 1
    messages[sides:] = without_parts(rng, messages[sides:], messages[:sides])
    truth = edge_truth(config, messages) | pair_truth(config, messages, config.integers)
    return Code(messages[:, None], truth, symbols)


def edges_only(config: GameConfig, rng: np.random.Generator) -> Code:
    """Each edge repeats a reserved symbol; everything else is random over the other symbols."""
    sides = config.window_size - 1
    require(
        config.vocab_size > sides,
        f"edges only needs vocab_size >= {sides + 1}, a symbol for each edge and one more",
        config.vocab_size,
    )
    symbols = rng.permutation(config.vocab_size).astype(np.int16)
    edges = np.repeat(symbols[:sides, None], config.message_length, axis=1)
    pairs = np.full((sides * len(config.integers), config.message_length), FREE, np.int16)
    return Code(np.concatenate([edges, pairs])[:, None], edge_truth(config, edges), symbols[sides:])


def polysemous(config: GameConfig, rng: np.random.Generator, *, senses: int = 2) -> Code:
    """Like `compositional`, but each word stands for `senses` integers (the last word for the rest)."""
    require(senses >= 1, "senses must be at least 1", senses)
    groups = in_groups(rng.permutation(len(config.integers)), senses)
    parts = DealtSymbols.of("polysemous", config, rng, config.message_length - 1, num_words=len(groups))
    group_words = parts.words(rng, len(groups), "first")
    words = np.empty((len(config.integers), group_words.shape[1]), np.int16)
    for group, word in zip(groups, group_words, strict=True):
        words[list(group)] = word
    phrases = np.concatenate([parts.edges, join(parts.offsets, words, "first")])[:, None]
    named = {
        (Form(as_tuple(word), 1), (Meaning(None, group),))
        for group, word in zip(groups, group_words, strict=True)
    }
    truth = edge_truth(config, parts.edges) | offset_truth(config, parts.offsets, 0) | named
    return Code(phrases, truth, parts.rest)


def synonymous(config: GameConfig, rng: np.random.Generator, *, synonyms: int = 2) -> Code:
    """Like `compositional`, but each integer has `synonyms` words; each episode uses one at random."""
    require(synonyms >= 1, "synonyms must be at least 1", synonyms)
    num_words = synonyms * len(config.integers)
    parts = DealtSymbols.of("synonymous", config, rng, config.message_length - 1, num_words=num_words)
    words = parts.words(rng, num_words, "first").reshape(synonyms, len(config.integers), -1)
    pairs = np.stack([join(parts.offsets, some, "first") for some in words], axis=1)
    edges = np.repeat(parts.edges[:, None], synonyms, axis=1)
    truth = edge_truth(config, parts.edges)
    for some in words:
        truth |= part_truth(config, parts.offsets, some, "first")
    return Code(np.concatenate([edges, pairs]), truth, parts.rest)


def mixture(config: GameConfig, rng: np.random.Generator, *, holistic_share: float = 0.25) -> Code:
    """A language like the paper's: reserved symbols for the edges, some whole messages, some parts.

    Each edge repeats its own symbol. A share of the integers have whole messages, one for each offset; the
    rest are as in `compositional`. The whole messages avoid the parts: they have no offset's symbol in the
    first slot, and no n-gram of a word in the slots of words.
    """
    require(0 <= holistic_share <= 1, "holistic_share must be in 0..1", holistic_share)
    sides, length = config.window_size - 1, config.message_length
    chosen = rng.permutation(len(config.integers))[: round(holistic_share * len(config.integers))]
    parts = DealtSymbols.of("mixture", config, rng, length - 1, disjoint=True, spare=sides - 1)
    # The symbol that `compositional` reserves for the edges is one of them; the others come from the rest.
    reserved = np.append(parts.rest[-(sides - 1) :], parts.edges[0, 0])
    edges = np.repeat(reserved[:, None], length, axis=1)
    words = parts.words(rng, len(config.integers), "first")
    pairs = join(parts.offsets, words, "first")
    symbols = np.setdiff1d(np.arange(config.vocab_size, dtype=np.int16), reserved)

    def clear(messages: IntArray) -> npt.NDArray[np.bool_]:
        free = ~np.isin(messages[:, 0], parts.offsets)
        for start in range(length - 1):
            for end in range(min(start + 2, length - 1), length):
                free &= ~among(messages[:, 1 + start : 1 + end], words[:, start:end])
        return free

    rows = (sides * chosen[:, None] + np.arange(sides)).reshape(-1)
    pairs[rows] = without_parts(rng, draw_distinct(rng, symbols, length, len(rows), clear), edges)
    phrases = np.concatenate([edges, pairs])
    spoken = np.setdiff1d(np.arange(len(config.integers)), chosen)
    truth = edge_truth(config, edges) | pair_truth(config, phrases, chosen.tolist())
    truth |= offset_truth(config, parts.offsets, 0) if len(spoken) else frozenset()
    truth |= {(Form(as_tuple(words[k]), 1), (Meaning(None, (int(k),)),)) for k in spoken}
    return Code(phrases[:, None], truth, parts.rest)


def compositional_last(config: GameConfig, rng: np.random.Generator) -> Code:
    """Like `compositional`, with the offset in the last slot."""
    return compositional(config, rng, "last")


def tens_offset_units(config: GameConfig, rng: np.random.Generator) -> Code:
    """Like `compositional`, with the offset in the middle, between the parts of a word."""
    require(config.message_length >= 3, "tens-offset-units needs message_length >= 3", config.message_length)
    return compositional(config, rng, "middle")


LANGUAGES: dict[str, MakeLanguage] = {
    **{
        coded.__name__.replace("_", "-"): partial(language, coded.__name__.replace("_", " "), coded)
        for coded in (
            compositional,
            compositional_last,
            by_axis,
            mixed_lengths,
            slot_invariant,
            holistic,
            edges_only,
            polysemous,
            synonymous,
            mixture,
            tens_offset_units,
        )
    },
    **WINDOW_LANGUAGES,
}
"""The languages by name."""

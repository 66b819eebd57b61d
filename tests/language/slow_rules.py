"""What messages say by rules, one rule and one window at a time: the slow twin of tables of rules."""

import functools
import math

from windows import all_windows, categories

from spatial_game.game.episodes import MASK
from spatial_game.language.counting.places import EDGE
from spatial_game.language.lexicon.entries import NEAR, Rule
from spatial_game.language.lexicon.meaning import Meaning

LEAST = 1e-9


def numbers(meaning, config):
    """Return the number of the place of a meaning, None of a word, and of the values that a game has."""
    if meaning.place == EDGE:
        names = [name for name in config.edges if name != "middle"] + ["middle"]
        return len(config.offsets), tuple(names.index(name) for name in meaning.values)
    values = tuple(value for value in meaning.values if value < config.num_integers)
    return None if meaning.place is None else config.offsets.index(meaning.place), values


def is_in_game(meaning, config):
    """Return whether a game has the place of a meaning, and any of its values."""
    there = meaning.place in (None, EDGE, *config.offsets)
    return there and (not meaning.values or len(numbers(meaning, config)[1]) > 0)


def slots_of(form, message):
    """Return the slots at which a form stands, each time as the slots that it fills."""
    size = len(form.symbols)
    starts = range(len(message) - size + 1) if form.slot is None else [form.slot]
    closed = [i for i, symbol in enumerate(form.symbols) if symbol is not None]
    return [
        {start + i for i in closed}
        for start in starts
        if start + size <= len(message) and all(message[start + i] == form.symbols[i] for i in closed)
    ]


@functools.cache
def share(config, place, values):
    """Return how often one of these values stands at a place."""
    return sum(share * (categories(config, w)[place] in values) for w, share in all_windows(config))


def followed(rules, config, message):
    """Return the rules about places that a message follows, and the words that it has alone."""
    rules = [rule for rule in rules if is_in_game(rule.meaning, config)]
    stands = [(rule, slots) for rule in rules if rule.form for slots in slots_of(rule.form, message)]
    plain = {id(r): r for r, _ in stands if not r.is_word and not r.is_offset}
    pairs = [
        (min(word.strength, offset.strength), word, offset)
        for word, at in stands
        if word.is_word
        for offset, beside in stands
        if offset.is_offset and not at & beside
    ]
    found, alone = [*plain.values()], []
    if pairs:
        _, word, offset = max(pairs, key=lambda pair: pair[0])
        meaning = Meaning(offset.meaning.place, word.meaning.values)
        expected = share(config, *numbers(meaning, config))
        found.append(Rule(word.form, meaning, word.probability * offset.probability, expected))
    else:
        alone = [*{id(r): r for r, _ in stands if r.is_word}.values()]
    defaults = [rule for rule in rules if rule.form is None]
    found += [rule for rule in defaults if rule.meaning.place not in [other.meaning.place for other in found]]
    return found, alone


def factor(rule, category, config):
    """Return by what a rule multiplies the belief in a category of its place."""
    _, values = numbers(rule.meaning, config)
    if category in values:
        return max(rule.probability, LEAST) / max(rule.expected, LEAST)
    rest = 1 - rule.expected if rule.rest is None else rule.rest
    near = 1.0
    if rule.rest is not None and category < config.num_integers:
        distance = min(abs(category - value) for value in values)
        near = NEAR[distance - 1] if distance <= len(NEAR) else 1.0
    return near * max(1 - rule.probability, LEAST) / max(rest, LEAST)


def bits_of(rule, config, window):
    """Return the evidence of a rule for a window: of a word alone, for each cell with one of its integers."""
    place, values = numbers(rule.meaning, config)
    if place is not None:
        return math.log2(factor(rule, categories(config, list(window))[place], config))
    size, cells = config.num_integers, config.window_size - 1
    seen = 1 - math.comb(size - len(values), cells) / math.comb(size, cells)
    outside = math.log2((1 - rule.probability) / max(1 - seen, LEAST))
    shown = sum(value in values for value in window if value != MASK)
    return outside + shown * (math.log2(rule.probability / seen) - outside)


def evidence(rules, config, message, window):
    """Return the bits of evidence of a message for a window."""
    about, alone = followed(rules, config, message)
    return sum(bits_of(rule, config, window) for rule in (*about, *alone))

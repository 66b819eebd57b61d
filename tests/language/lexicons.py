"""Lexicons made by hand or at random, and what their entries mean, for the tests of speaking and probing."""

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from spatial_game.config import GameConfig
from spatial_game.language.counting.forms import Form, carrier_mask
from spatial_game.language.counting.places import EDGE
from spatial_game.language.known import agreement
from spatial_game.language.lexicon.entries import Entry, Rule, expected_of
from spatial_game.language.lexicon.lexicon import ByDescription, Lexicon
from spatial_game.language.lexicon.meaning import Meaning, all_hold


def entry(symbols, slot, meant, npmi=0.9, listed=True, confidence=1.0, count=50, **others):
    """Return an entry of a meaning, of a tuple that holds together, or of a list of alternatives.

    Alternatives share the confidence equally. The probability of a rule follows from it; see `lexicon_of` for
    what is expected.
    """
    form, episodes = Form(tuple(symbols), slot), count / max(confidence, 1e-9)
    several = meant if isinstance(meant, list) else [meant]
    together = [each if isinstance(each, tuple) else (each,) for each in several]
    parts, share = list(dict.fromkeys(part for each in together for part in each)), confidence / len(together)
    said = [share * sum(part in each for each in together) for part in parts]
    root = 1 / len(parts) if len(together) == 1 else 1
    rules = tuple(
        Rule(form, part, ((min(p, confidence) * episodes + 0.5) / (episodes + 1)) ** root, 0.0, strength=npmi)
        for part, p in zip(parts, said, strict=True)
    )
    alternatives = tuple((tuple(map(parts.index, each)), share) for each in together)
    others = {
        "p_value": 0.0,
        "alternatives": alternatives if len(several) > 1 else (),
    } | others
    return Entry(form, rules, npmi, confidence, count, listed=listed, **others)


def lexicon_of(config, entries):
    """Return a lexicon; what the game lets expect is filled in."""

    def expecting(rules):
        return tuple(replace(rule, expected=expected_of(rule.meaning, config)) for rule in rules)

    filled = tuple(replace(each, rules=expecting(each.rules)) for each in entries)
    return Lexicon(config, ByDescription(), filled, "made by hand")


def recovered(lexicon, language, episodes):
    """Return recall and precision of what is listed of a known language.

    An entry beside the truth is not wrong if it is true in most of the episodes with its form, or if no
    message without noise has that form.
    """
    entries = [(entry.form, meanings) for entry in lexicon.listed for meanings in entry.meanings]
    found = agreement(entries, language, episodes)
    message = language.without_noise().send(episodes.window)

    def is_wrong(form, meanings):
        window = episodes.window[carrier_mask([form], message)]
        return len(window) > 0 and all_hold(meanings, language.config, window).mean() < 0.8

    wrong = sum(is_wrong(*entry) for entry in found.false)
    return found.recall, 1 - wrong / max(len(entries), 1)


@st.composite
def descriptions(draw):
    """Descriptions of a small game: sets, edges and conjunctions, with open symbols and with senses."""
    config = GameConfig(
        draw(st.integers(5, 7)),
        window_radius=1,
        num_distractors=2,
        vocab_size=3,
        message_length=draw(st.integers(1, 3)),
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return lexicon_of(config, [_random_meaning(config, rng) for _ in range(draw(st.integers(0, 25)))])


def _random_meaning(config, rng):
    size = int(rng.integers(1, config.message_length + 1))
    symbols = rng.integers(0, config.vocab_size, size).tolist()
    if size == 3 and rng.random() < 0.5:
        symbols[1] = None
    slot = None if rng.random() < 0.3 else int(rng.integers(0, config.message_length - size + 1))
    parts = [
        Meaning(int(o), _some(config, rng)) for o in rng.permutation(config.offsets)[: rng.integers(1, 3)]
    ]
    if rng.random() < 0.2:
        parts = [Meaning(EDGE, (str(rng.choice(config.edges)),))]
    if rng.random() < 0.3 and config.message_length > 1:
        parts = [
            Meaning(None, _some(config, rng))
            if rng.random() < 0.5
            else Meaning(int(rng.choice(config.offsets)), ())
        ]
    referent = tuple(parts)
    if len(parts) == 1 and parts[0].kind == "integer_at" and rng.random() < 0.3:
        referent = [referent, Meaning(EDGE, (str(rng.choice(config.edges)),))]
    confidence, count = float(rng.uniform(0.3, 0.5)), int(rng.integers(1, 200))
    return entry(symbols, slot, referent, round(float(rng.random()), 2), confidence=confidence, count=count)


def _some(config, rng):
    return tuple(sorted(rng.permutation(config.num_integers)[: rng.integers(1, 4)].tolist()))


@st.composite
def lexicons(draw):
    """Any entries at all, sound or not, for a small game."""
    radius = draw(st.integers(1, 2))
    length = draw(st.integers(2 * radius + 1, 8))
    config = GameConfig(
        length, window_radius=radius, num_distractors=1, vocab_size=4, message_length=draw(st.integers(1, 4))
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return lexicon_of(config, [random_entry(config, rng) for _ in range(draw(st.integers(0, 40)))])


def random_entry(config, rng):
    kind = rng.integers(0, 4)
    value = (*dict.fromkeys(rng.integers(0, config.num_integers + 2, rng.integers(1, 3)).tolist()),)
    reach = 2 * config.window_radius + 1
    offset = int(rng.choice([o for o in range(-reach, reach + 1) if o]))
    referent = [
        Meaning(EDGE, (str(rng.choice(config.edges)),)),
        Meaning(offset, value),
        Meaning(None, value),
        Meaning(offset, ()),
    ]
    most = config.message_length + 1
    length = most - 1 if kind < 2 else int(rng.integers(1, most + 1))
    slot = 0 if kind < 2 else rng.choice([None, *range(most)])
    symbols = rng.integers(0, config.vocab_size + (rng.random() < 0.1), length)
    npmi = round(float(rng.random()), 1)
    return entry(symbols.tolist(), slot, referent[kind], npmi, listed=bool(rng.random() >= 0.2))

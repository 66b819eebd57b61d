"""Lexicons made by hand or at random, and what their entries mean, for the tests of speaking and probing."""

import numpy as np
from hypothesis import strategies as st

from spatial_game.config import GameConfig
from spatial_game.language.counting.forms import Form
from spatial_game.language.lexicon.lexicon import Entry, Lexicon
from spatial_game.language.lexicon.referents import Edge, Integer, IntegerAt, Offset
from spatial_game.language.lexicon.settings import Settings


def entry(symbols, slot, referent, npmi=0.9, derived=False):
    return Entry(Form(tuple(symbols), slot), referent, npmi, 1.0, 50, 0.0, 0.0, derived)


def lexicon_of(config, entries):
    return Lexicon(config, Settings(), tuple(entries), "made by hand")


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
    value = (*rng.integers(0, len(config.integers) + 2, rng.integers(1, 3)).tolist(),)
    reach = 2 * config.window_radius + 1
    offset = int(rng.choice([o for o in range(-reach, reach + 1) if o]))
    referent = [Edge(str(rng.choice(config.edges))), IntegerAt(value, offset), Integer(value), Offset(offset)]
    most = config.message_length + 1
    length = most - 1 if kind < 2 else int(rng.integers(1, most + 1))
    slot = 0 if kind < 2 else rng.choice([None, *range(most)])
    symbols = rng.integers(0, config.vocab_size + (rng.random() < 0.1), length)
    npmi = round(float(rng.random()), 1)
    return entry(symbols.tolist(), slot, referent[kind], npmi, derived=bool(rng.random() < 0.2))


def placements(form, config):
    room = config.message_length - len(form.symbols)
    if any(s >= config.vocab_size for s in form.symbols):
        return []
    return [s for s in range(room + 1) if form.slot in (None, s)]


def meanings(referent, config, mate=None):
    """What a phrase says: edges, or (integer, offset)."""
    if isinstance(referent, Edge):
        return {referent.name} - {"middle"}
    offset = referent.offset if mate is None else mate.value
    return {(v, offset) for v in referent.values if v in config.integers and offset in config.offsets}

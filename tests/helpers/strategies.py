"""What hypothesis draws from, for tests of many modules."""

import math

from hypothesis import strategies as st

from spatial_game.config import GameConfig


@st.composite
def configs(draw, max_length=30):
    """Games of every shape, small enough to play often."""
    radius = draw(st.integers(1, 4))
    length = draw(st.integers(2 * radius + 1, max(max_length, 2 * radius + 1)))
    return GameConfig(
        sequence_length=length,
        num_integers=draw(st.none() | st.integers(length, length + 300)),
        window_radius=radius,
        num_distractors=draw(st.integers(1, length - 1)),
        vocab_size=draw(st.integers(2, 40)),
        message_length=draw(st.integers(1, 5)),
    )


@st.composite
def grids(draw):
    """Games on grids of one to four axes, some with hidden cells."""
    axes = draw(st.integers(1, 4))
    radius = draw(st.integers(1, 3 if axes < 3 else 1))
    shape = [draw(st.integers(2 * radius + 1, 2 * radius + (4 if axes < 3 else 2))) for _ in range(axes)]
    return GameConfig(
        shape=tuple(shape),
        num_integers=draw(st.none() | st.integers(math.prod(shape), math.prod(shape) + 20)),
        window_radius=radius,
        num_distractors=draw(st.integers(1, min(math.prod(shape) - 1, 8))),
        num_visible=draw(st.none() | st.integers(1, (2 * radius + 1) ** axes - 1)),
    )


seeds = st.integers(0, 2**32 - 1)

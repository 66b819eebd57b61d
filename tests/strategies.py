"""What hypothesis draws from, for tests of many modules."""

from __future__ import annotations

from hypothesis import strategies as st

from spatial_game.config import GameConfig


@st.composite
def configs(draw: st.DrawFn, max_length: int = 30) -> GameConfig:
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


seeds = st.integers(0, 2**32 - 1)

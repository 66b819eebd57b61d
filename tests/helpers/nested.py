"""Compare observations in any format."""

import numpy as np


def assert_same(one, other):
    """Arrays, or dicts and tuples of them, nested."""
    if isinstance(one, (dict, tuple)):
        assert len(one) == len(other)
        for key in one if isinstance(one, dict) else range(len(one)):
            assert_same(one[key], other[key])
    else:
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)

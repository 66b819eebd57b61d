"""Sizes of small games, as keyword arguments of environments."""

SMALL = {"sequence_length": 9, "num_distractors": 2, "vocab_size": 7}
GRID = {"shape": (3, 4), "window_radius": 1, "num_visible": 3, "vocab_size": 8}

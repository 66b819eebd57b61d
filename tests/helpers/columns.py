"""What a column of a table of counts stands for, worked out from the game alone."""

from spatial_game.language.counting.columns import columns_of


def column_meaning(config, column):
    """(edge, None, None), or (None, integer, offset)."""
    place, value = divmod(column, config.num_integers)
    if place < len(config.offsets):
        return None, value, config.offsets[place]
    names = [name for name in config.edges if name != "middle"] + ["middle"]
    views = columns_of(config).size - len(config.offsets) * config.num_integers
    return names[(column - len(config.offsets) * config.num_integers) * len(names) // views], None, None

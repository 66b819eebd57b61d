"""The networks of a pair: the GRU pair of the paper, and variants of it."""

"""A page in which a person plays with trained pairs: the networks run in the browser."""

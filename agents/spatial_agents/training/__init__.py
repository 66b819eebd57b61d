"""Training: runs of several pairs, the loop of one, its steps, and their episodes."""

"""A page for playing with trained pairs, whose networks run in the browser."""

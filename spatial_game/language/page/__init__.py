"""A grammar sketch: what a language tells, how its messages are built, its words, and where it is silent."""

"""The dictionary of a language: two tables of counts, what symbols say and what messages say.

`docs/dictionary.md` has the formulae, and follows one message from counts to its reading.
"""

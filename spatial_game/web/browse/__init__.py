"""The page of a language: its dictionary, messages and episodes, to look through in a browser."""

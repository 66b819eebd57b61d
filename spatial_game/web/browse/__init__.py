"""The page of a language, to look through its dictionary, messages and episodes in a browser."""

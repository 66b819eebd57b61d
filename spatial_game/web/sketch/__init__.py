"""The sketch of a language as a page."""

"""The film of a language as a page."""

"""The spatial referential game: environment, recordings and the analysis of the language in them."""

__version__ = "0.1.0"

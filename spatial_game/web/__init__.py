"""Pages for a browser, each a single file that needs no internet connection."""

"""Pages for a browser, each a single file that needs no network."""

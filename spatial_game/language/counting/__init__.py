"""Counts of forms and referents in recordings."""

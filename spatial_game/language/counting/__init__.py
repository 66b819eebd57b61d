"""Counts of messages, of their n-grams, and of what the sender saw."""

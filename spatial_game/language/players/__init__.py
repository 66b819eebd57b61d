"""Agents that read and speak by a lexicon."""

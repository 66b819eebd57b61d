"""Agents that read and speak by a lexicon or by counts."""

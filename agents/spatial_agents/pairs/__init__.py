"""Trained pairs: their names, their files, and how they play."""

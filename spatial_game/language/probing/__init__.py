"""Experiments on a receiver: phrases, minimal pairs, thresholds, and substitute readers and speakers."""

"""Experiments on a receiver: probing, minimal pairs, readers and speakers."""

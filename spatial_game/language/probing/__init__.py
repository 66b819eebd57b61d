"""Experiments on a receiver: composed messages, exchanged parts, and substitute readers and speakers."""

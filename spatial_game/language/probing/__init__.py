"""Experiments on a receiver: composed messages, and exchanged parts of messages."""

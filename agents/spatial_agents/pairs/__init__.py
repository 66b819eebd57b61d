"""Trained pairs on disk: weights, cards, checkpoints and the policies made of them."""

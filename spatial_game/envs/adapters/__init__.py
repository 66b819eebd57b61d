"""Adapters for reinforcement-learning libraries. Only these modules import torch."""

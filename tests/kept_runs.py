"""Runs that kept their steps, with pairs whose weights are drawn at random, for the tests of films."""

from pathlib import Path

import numpy as np

from spatial_agents.networks.shapes import weight_shapes
from spatial_agents.pairs.tensor_files import Weights, write_weights
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig

GAME = GameConfig(sequence_length=10, num_visible=1, vocab_size=5)
AGENT = AgentConfig(network="local", inputs="embedding", embedding_size=4, hidden_size=4)


def write_pair(path: Path, seed: int, game: GameConfig = GAME) -> None:
    rng = np.random.default_rng(seed)
    tensors = {n: rng.normal(size=s).astype(np.float32) for n, s in weight_shapes(game, AGENT).items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_weights(path, Weights(tensors, game, AGENT, {"seed": seed}))


def write_history(folder: Path, seeds: dict[int, int]) -> Path:
    """Write the pair of each seed as what a run kept at a step."""
    for step, seed in seeds.items():
        write_pair(folder / "history" / f"{step:08d}.safetensors", seed)
    return folder

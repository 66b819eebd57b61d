"""Draw the episodes on the page *The game* again: `python docs/images/draw.py`."""

from pathlib import Path

import numpy as np

from spatial_game import GameConfig, OracleSender, draw_episodes
from spatial_game.game.scene import Scene
from spatial_game.rendering.picture import image

PICTURES = {
    "middle": (GameConfig(sequence_length=20), "middle"),
    "end": (GameConfig(sequence_length=20), "end"),
    "grid": (GameConfig(shape=(8, 8), window_radius=1, num_visible=1), "right"),
    "slices": (GameConfig(shape=(4, 4, 4), window_radius=1), "(middle, middle, end)"),
}

for name, (config, edge) in PICTURES.items():
    episodes = draw_episodes(config, 100, np.random.default_rng(7))
    row = int(np.argmax(episodes.mask_column == config.edges.index(edge)))
    episode = episodes[row : row + 1]
    message = OracleSender(config).send(episode.window)[0]
    scene = Scene(config, episode, message, int(episode.target_index[0]))
    image(scene, scale=2).save(Path(__file__).parent / f"episode-{name}.png")

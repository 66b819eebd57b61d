"""Draw the pictures of the pages again: `python docs/images/draw.py`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from spatial_agents import load_pair
from spatial_game import GameConfig, OracleSender, draw_episodes, record
from spatial_game.game.scene import Scene
from spatial_game.language import build_dictionary, count
from spatial_game.language.pictures.figures import map_figure
from spatial_game.language.pictures.maps import maps_of
from spatial_game.rendering.picture import image

FOLDER = Path(__file__).parent
EPISODES = {
    "middle": (GameConfig(sequence_length=20), "middle"),
    "end": (GameConfig(sequence_length=20), "end"),
    "grid": (GameConfig(shape=(8, 8), window_radius=1, num_visible=1), "right"),
    "slices": (GameConfig(shape=(4, 4, 4), window_radius=1), "(middle, middle, end)"),
}
"""The episodes on the page *The game*: their game, and where the target is."""


def draw_episode(config: GameConfig, edge: str) -> Scene:
    """Return an episode whose target is at an edge."""
    episodes = draw_episodes(config, 100, np.random.default_rng(7))
    row = int(np.argmax(episodes.mask_column == config.edges.index(edge)))
    episode = episodes[row : row + 1]
    message = OracleSender(config).send(episode.window)[0]
    return Scene(config, episode, message, int(episode.target_index[0]))


def draw_map(name: str = "paper-60/7", number: int = 50_000) -> Figure:
    """Return the map of a bundled pair."""
    pair = load_pair(name)
    episodes = draw_episodes(pair.config, number, np.random.default_rng(7))
    counts = count(record((pair.sender, None), episodes, pair.config))
    return map_figure(maps_of(counts, build_dictionary(counts)), width=4)


if __name__ == "__main__":
    for name, given in EPISODES.items():
        image(draw_episode(*given), scale=2).save(FOLDER / f"episode-{name}.png")
    draw_map().savefig(FOLDER / "map.png", dpi=100)

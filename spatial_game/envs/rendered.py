"""How an environment of one game shows its episode."""

from __future__ import annotations

from spatial_game.config import GameOptions
from spatial_game.envs.games import OneGame
from spatial_game.game.scene import Scene
from spatial_game.rendering.viewer import DictionaryOrFile, Pixels, Viewer


class EnvOptions(GameOptions, total=False):
    """The keyword arguments of all environments, which `spatial_game.referential_v0.env` explains."""

    render_mode: str | None
    dictionary: DictionaryOrFile | None
    observations: str


class Rendered:
    """The base of environments of one game: its pictures."""

    game: OneGame
    render_mode: str | None
    viewer: Viewer

    def scene(self) -> Scene:
        """Return the current state of the episode, for `spatial_game.rendering.text`."""
        return self.game.scene()

    def render(self) -> str | Pixels | None:
        """Return the episode in the render mode. Mode "human" shows it; it also does so after every step."""
        return self.viewer.render(self.scene() if self.render_mode else None)

    def close(self) -> None:
        """Close the window, if there is one."""
        self.viewer.close()

    def show(self) -> None:
        """Show the episode if the mode is "human"."""
        if self.render_mode == "human":
            self.viewer.render(self.scene())

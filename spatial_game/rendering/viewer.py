"""Render modes, which show scenes of an environment as text, as pixels, or in a window.

| Mode | `render()` |
|---|---|
| `ansi` | returns lines of text |
| `rgb_array` | returns a picture, uint8 (height, width, 3) |
| `human` | shows the picture in a window, as every step does, until someone closes the window |
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.error import DependencyNotInstalled

from spatial_game.checks import require
from spatial_game.config import GameConfig
from spatial_game.errors import UserError, UserTypeError
from spatial_game.extras import how_to_install
from spatial_game.game.scene import Scene
from spatial_game.rendering.text import ansi

if TYPE_CHECKING:
    from spatial_game.language.dictionary.dictionary import Dictionary

RENDER_MODES = ("human", "ansi", "rgb_array")
DictionaryOrFile: TypeAlias = "Dictionary | str | os.PathLike[str]"
Pixels: TypeAlias = npt.NDArray[np.uint8]


class Viewer:
    """Shows scenes in one mode. `close` closes its window, if it has one."""

    def __init__(
        self,
        render_mode: str | None,
        config: GameConfig,
        *,
        dictionary: DictionaryOrFile | None = None,
        fps: float = 1,
        modes: tuple[str, ...] = RENDER_MODES,
    ) -> None:
        """`dictionary` puts messages into words; a window shows each scene for 1/`fps` seconds.

        Raises `ValueError` for a mode that is not in `modes`, for a file without a dictionary, and for a
        dictionary that cannot read the messages of this game.
        """
        rule = f"render_mode must be None or one of {', '.join(modes)}"
        require(render_mode in (None, *modes), rule, repr(render_mode))
        self.render_mode = render_mode
        self._dictionary = _read(dictionary)
        problem = self._dictionary.config.incompatibility(config) if self._dictionary else None
        if problem is not None:
            raise UserError(f"the dictionary is of another game: its {problem}")
        self._fps = fps
        self._window: Any = None
        self._dismissed = False  # someone closed the window

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy or a pickle keeps: everything except the window."""
        return vars(self) | {"_window": None}

    def render(self, scene: Scene | None) -> str | Pixels | None:
        """Return the scene in this mode. Mode "human" shows it and returns None; no mode only warns."""
        if self.render_mode is None or scene is None:
            gymnasium.logger.warn("render() was called on an environment without a render_mode")
            return None
        if self.render_mode == "ansi":
            return ansi(scene, dictionary=self._dictionary)
        if self._dismissed:
            return None
        from spatial_game.rendering.picture import rgb_array

        pixels = rgb_array(scene, dictionary=self._dictionary)
        if self.render_mode == "rgb_array":
            return pixels
        self._show(pixels)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            import pygame

            pygame.display.quit()
            self._window = None

    def _show(self, pixels: Pixels) -> None:
        """Show a picture for a while, or close the window if someone asks. All pictures have one size."""
        try:
            import pygame
        except ModuleNotFoundError:
            raise DependencyNotInstalled(how_to_install("pygame", "window")) from None
        size = pixels.shape[1::-1]
        if self._window is None:
            pygame.display.init()
            pygame.display.set_caption("spatial-game")
            self._window = pygame.display.set_mode(size)
        self._window.blit(pygame.image.frombuffer(pixels.tobytes(), size, "RGB"), (0, 0))
        pygame.display.flip()
        self._dismissed = any(event.type == pygame.QUIT for event in pygame.event.get())
        if self._dismissed:
            self.close()
            return
        pygame.time.wait(round(1000 / self._fps))


def _read(dictionary: DictionaryOrFile | None) -> Dictionary | None:
    """Return the dictionary; read it if it is a file. Raises `TypeError` for anything else."""
    if dictionary is None:
        return None
    from spatial_game.language import Dictionary, read_dictionary

    if isinstance(dictionary, (str, os.PathLike)):
        return read_dictionary(dictionary)
    if not isinstance(dictionary, Dictionary):
        raise UserTypeError(f"dictionary must be a Dictionary, its file or None; got {dictionary!r}")
    return dictionary

"""Render modes, which show scenes of an environment as text, as pixels, or in a window.

| Mode | `render()` |
|---|---|
| `ansi` | returns lines of text |
| `rgb_array` | returns a picture, uint8 (height, width, 3) |
| `human` | shows the picture in a window, as every step does; without a display or pygame it prints text |
"""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from typing import TYPE_CHECKING, Any, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig
from spatial_game.game.scene import Scene
from spatial_game.rendering.text import ansi

if TYPE_CHECKING:
    from spatial_game.language.lexicon.lexicon import Lexicon

RENDER_MODES = ("human", "ansi", "rgb_array")
LexiconOrFile: TypeAlias = "Lexicon | str | os.PathLike[str]"
Pixels: TypeAlias = npt.NDArray[np.uint8]


class Viewer:
    """Shows scenes in one mode. `close` closes its window, if it has one."""

    def __init__(
        self,
        render_mode: str | None,
        config: GameConfig,
        *,
        lexicon: LexiconOrFile | None = None,
        fps: float = 1,
        modes: tuple[str, ...] = RENDER_MODES,
    ) -> None:
        """`lexicon` puts messages into words; a window shows each scene for 1/`fps` seconds.

        Raises `ValueError` for a mode that is not in `modes`, for a file without a lexicon, and for a lexicon
        that cannot read the messages of this game.
        """
        if render_mode is not None and render_mode not in modes:
            raise ValueError(f"render_mode must be None or one of {', '.join(modes)}; got {render_mode!r}")
        self.render_mode = render_mode
        self._lexicon = _read(lexicon)
        problem = self._lexicon.config.incompatibility(config) if self._lexicon else None
        if problem is not None:
            raise ValueError(f"the lexicon is of another game: its {problem}")
        self._fps = fps
        self._window: Window | None = None
        self._prints = False

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy or a pickle keeps: everything except the window."""
        return vars(self) | {"_window": None}

    def render(self, scene: Scene | None) -> str | Pixels | None:
        """Return the scene in this mode. Mode "human" shows it and returns None; no mode only warns."""
        if self.render_mode is None or scene is None:
            gymnasium.logger.warn("render() was called on an environment without a render_mode")
            return None
        if self.render_mode == "ansi":
            return ansi(scene, lexicon=self._lexicon)
        if self.render_mode == "rgb_array":
            return self._pixels(scene)
        self._show(scene)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    def _pixels(self, scene: Scene) -> Pixels:
        from spatial_game.rendering.picture import rgb_array

        return rgb_array(scene, lexicon=self._lexicon)

    def _show(self, scene: Scene) -> None:
        if self._window is None and not self._prints:
            problem = display_problem()
            if problem is None:
                self._window = Window(self._fps)
            else:
                self._prints = True
                gymnasium.logger.warn(f"no window: {problem}; printing text instead")
        if self._window is not None:
            self._window.show(self._pixels(scene))
        else:
            colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
            print(ansi(scene, colour=colour, lexicon=self._lexicon), end="\n\n")


class Rendered:
    """The base of environments of one game: its pictures."""

    render_mode: str | None
    viewer: Viewer
    turns: Any
    """The state of the game, `envs.turns.Game`."""

    def scene(self) -> Scene:
        """Return the current state of the episode, for `spatial_game.rendering.text`."""
        scene: Scene = self.turns.scene()
        return scene

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


class Window:
    """A window that shows each picture for a while; any key or click continues at once.

    Once the user has closed it, it stays closed, and nothing waits for it.
    """

    def __init__(self, fps: float) -> None:
        self._pygame = _pygame()
        self._seconds = 1 / fps
        self._shown: Pixels | None = None
        self._closed = False

    def show(self, pixels: Pixels) -> None:
        """Show a picture; wait if it is a new one."""
        if not self._closed:
            new = self._draw(pixels)
            self._wait(self._seconds if new else 0)

    def _draw(self, pixels: Pixels) -> bool:
        """Draw a picture, and return whether it is a new one."""
        display, size = self._pygame.display, pixels.shape[1::-1]
        if self._shown is None or self._shown.shape != pixels.shape:
            display.init()
            display.set_mode(size)
            display.set_caption("spatial-game")
        display.get_surface().blit(self._pygame.image.frombuffer(pixels.tobytes(), size, "RGB"), (0, 0))
        display.flip()
        new = self._shown is None or not np.array_equal(pixels, self._shown)
        self._shown = pixels
        return new

    def close(self) -> None:
        """Close the window."""
        if not self._closed:
            self._closed = True
            self._pygame.display.quit()

    def _wait(self, seconds: float) -> None:
        """Keep the window alive for a while, until the user presses a key, clicks or closes it."""
        pygame, end = self._pygame, time.monotonic() + seconds
        while True:
            for event in pygame.event.get():
                if event.type == pygame.QUIT:
                    self.close()
                if event.type in (pygame.QUIT, pygame.KEYDOWN, pygame.MOUSEBUTTONDOWN):
                    return
            if time.monotonic() >= end:
                return
            time.sleep(0.02)


def display_problem() -> str | None:
    """Return why no window can be shown; None if one can."""
    if importlib.util.find_spec("pygame") is None:
        return "pygame is not installed (pip install -e '.[window]')"
    # Without these, SDL may take over a console or draw where nobody looks.
    names = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")
    if sys.platform.startswith(("linux", "freebsd")) and not any(os.environ.get(name) for name in names):
        return "there is no display"
    pygame = _pygame()
    try:
        pygame.display.init()
    except pygame.error as error:
        return str(error)
    return None


def _read(lexicon: LexiconOrFile | None) -> Lexicon | None:
    """Return the lexicon; read it if it is a file. Raises `TypeError` for anything else."""
    if lexicon is None:
        return None
    from spatial_game.language.lexicon.lexicon import Lexicon

    if isinstance(lexicon, (str, os.PathLike)):
        return Lexicon.read(lexicon)
    if not isinstance(lexicon, Lexicon):
        raise TypeError(f"lexicon must be a Lexicon, its file or None; got {lexicon!r}")
    return lexicon


def _pygame() -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    import pygame

    return pygame

"""Render modes: text, pixels, and a window if there is a screen."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pictures import SIXTY, WORDS, scene

from spatial_game import referential_v0
from spatial_game.rendering import viewer
from spatial_game.rendering.layout import WIDTH
from spatial_game.rendering.picture import rgb_array
from spatial_game.rendering.viewer import Viewer, Window


def test_environments_render_pixels_and_read_messages(tmp_path: Path) -> None:
    env = referential_v0.env(render_mode="rgb_array")
    env.reset(seed=7)
    seen = env.render()
    assert (seen.dtype, seen.shape[1:]) == (np.uint8, (WIDTH, 3))
    np.testing.assert_array_equal(seen, rgb_array(env.unwrapped.scene()))
    path = tmp_path / "lexicon.json"
    WORDS.write(path)
    for given_as in (path, str(path), WORDS):
        text = referential_v0.env(render_mode="ansi", lexicon=given_as)
        text.reset(seed=7)
        assert "in words" not in text.render()
        text.step(np.array([3, 11, 0]))
        assert "\nin words     51 one left\n" in text.render()


def test_what_is_no_lexicon_of_the_game_is_refused() -> None:
    with pytest.raises(TypeError, match="lexicon must be a Lexicon, its file or None; got 5"):
        referential_v0.env(lexicon=5)
    with pytest.raises(ValueError, match="the lexicon is of another game: its message_length must be 3"):
        referential_v0.env(render_mode="ansi", lexicon=WORDS, message_length=2)


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Any:
    """pygame with a screen that nobody sees, and frames of 10 ms."""
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(referential_v0.raw_env.metadata, "render_fps", 100)
    yield pygame
    pygame.display.quit()


def test_a_window_shows_the_picture(screen: Any, capsys: pytest.CaptureFixture[str]) -> None:
    env = referential_v0.env(render_mode="human")
    env.reset(seed=7)
    for message in ([3, 11, 0], None):
        shown = screen.surfarray.array3d(screen.display.get_surface()).swapaxes(0, 1)
        np.testing.assert_array_equal(shown, rgb_array(env.unwrapped.scene()))
        if message is not None:
            env.step(np.array(message))
    assert env.render() is None
    env.close()
    env.close()
    assert screen.display.get_surface() is None
    assert capsys.readouterr().out == ""


def test_a_closed_window_stays_closed(screen: Any) -> None:
    window, pixels = Window(fps=100), rgb_array(scene())
    window.show(pixels)
    screen.event.post(screen.event.Event(screen.QUIT))
    for _ in range(2):
        window.show(pixels)
        assert screen.display.get_surface() is None


@pytest.mark.parametrize("event", ["KEYDOWN", "MOUSEBUTTONDOWN"])
def test_a_key_or_a_click_goes_on(screen: Any, event: str) -> None:
    window = Window(fps=1e-3)
    screen.display.init()
    screen.display.set_mode((10, 10))
    screen.event.post(screen.event.Event(getattr(screen, event)))
    window.show(rgb_array(scene()))  # would take a thousand seconds
    window.close()


@pytest.mark.parametrize(
    ("missing", "problem"),
    [("pygame", r"pip install -e '.\[window\]'"), ("display", "there is no display")],
)
def test_without_a_window_there_is_text(
    missing: str, problem: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if missing == "pygame":
        monkeypatch.setattr(viewer.importlib.util, "find_spec", lambda name: None)
    else:
        pytest.importorskip("pygame")
        monkeypatch.setattr(viewer.sys, "platform", "linux")
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
            monkeypatch.delenv(name, raising=False)
    human = Viewer("human", SIXTY)
    with pytest.warns(UserWarning, match=f"no window: .*{problem}.*; printing text instead"):
        human.render(scene())
    human.render(scene())
    assert capsys.readouterr().out.count("all that the sender sees") == 2


def test_drawing_needs_nothing_of_the_analysis() -> None:
    code = (
        "import sys; from spatial_game import referential_v0\n"
        "env = referential_v0.env(render_mode='rgb_array'); env.reset(seed=0); env.render()\n"
        "print(sorted({'scipy', 'pyarrow', 'torch', 'pygame', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr

"""Render modes: text, pixels, and a window."""

import sys

import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled
from helpers.pictures import SIXTY, WORDS, scene

from spatial_game import referential_v0
from spatial_game.language import write_dictionary
from spatial_game.rendering.layout import WIDTH
from spatial_game.rendering.picture import rgb_array
from spatial_game.rendering.viewer import Viewer


def test_environments_render_pixels_and_read_messages(tmp_path):
    env = referential_v0.env(render_mode="rgb_array")
    env.reset(seed=7)
    seen = env.render()
    assert (seen.dtype, seen.shape[1:]) == (np.uint8, (WIDTH, 3))
    np.testing.assert_array_equal(seen, rgb_array(env.unwrapped.scene()))
    path = tmp_path / "dictionary.json"
    write_dictionary(WORDS, path)
    for given_as in (path, str(path), WORDS):
        text = referential_v0.env(render_mode="ansi", dictionary=given_as)
        text.reset(seed=7)
        assert "in words" not in text.render()
        text.step(np.array([3, 11, 0]))
        assert "\nin words     51 one left\n" in text.render()


def test_what_is_no_dictionary_of_the_game_is_refused():
    with pytest.raises(TypeError, match="dictionary must be a Dictionary, its file or None; got 5"):
        referential_v0.env(dictionary=5)
    with pytest.raises(ValueError, match="the dictionary is of another game: its message_length must be 3"):
        referential_v0.env(render_mode="ansi", dictionary=WORDS, message_length=2)


def test_a_window_shows_each_turn(monkeypatch):
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")  # a screen that nobody sees
    monkeypatch.setitem(referential_v0.raw_env.metadata, "render_fps", 100)
    env = referential_v0.env(render_mode="human")
    env.reset(seed=7)
    for message in ([3, 11, 0], None):
        shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
        np.testing.assert_array_equal(shown, rgb_array(env.unwrapped.scene()))
        if message is not None:
            env.step(np.array(message))
    assert env.render() is None
    env.close()
    env.close()
    assert pygame.display.get_surface() is None


def test_a_window_that_was_closed_stays_closed(monkeypatch):
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    viewer = Viewer("human", SIXTY, fps=100)
    viewer.render(scene())
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    for _ in range(2):
        viewer.render(scene())
        assert pygame.display.get_surface() is None


def test_a_window_needs_pygame(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(DependencyNotInstalled, match=r"pip install -e '.\[window\]'"):
        Viewer("human", SIXTY).render(scene())

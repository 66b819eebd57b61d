"""The picture in pixels: the same from the same state, by hash and by look, and all that it must show.

After a change that is meant to change pictures, look at them and renew the golden ones:
python tests/rendering/test_picture.py
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pictures import WORDS, scene
from PIL import Image, features
from scripted import silent
from strategies import configs, grids, seeds

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.scene import Scene
from spatial_game.language import Lexicon, read_lexicon
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.rendering import layout, picture
from spatial_game.rendering.layout import WIDTH
from spatial_game.rendering.picture import image, rgb_array, write_gif

GOLDEN = Path(__file__).parents[1] / "golden" / "pictures"
FREETYPE = features.version("freetype2")
LARGE = {"sequence_length": 2000, "num_distractors": 40, "window_radius": 12, "message_length": 30}
SCENES: dict[str, tuple[Scene, Lexicon | None]] = {
    "begin": (scene(message=(-1, -1, -1)), None),
    "right-in-words": (scene(choice="right"), WORDS),
    "wrong-20": (scene(choice="wrong", sequence_length=20), None),
    "least": (
        scene(message=(1,), sequence_length=3, window_radius=1, num_distractors=1, message_length=1),
        None,
    ),
    "grid": (scene(choice="right", shape=(8, 8), window_radius=1, num_visible=2), None),
    "slices": (scene(message=(3, -1, -1), shape=(4, 4, 4), window_radius=1), None),
    "large": (scene(message=range(30), vocab_size=1000, **LARGE), None),
}


def digest(made: Image.Image) -> str:
    return hashlib.sha256(f"{made.size}".encode() + made.tobytes()).hexdigest()


def write_golden() -> None:
    pictures = {name: image(of, lexicon=words) for name, (of, words) in SCENES.items()}
    for name, made in pictures.items():
        made.save(GOLDEN / f"{name}.png", optimize=True)
    hashes = {"freetype": FREETYPE, **{name: digest(made) for name, made in pictures.items()}}
    (GOLDEN / "hashes.json").write_text(json.dumps(hashes, indent=1) + "\n")


# --- The same picture from the same state ----------------------------------------------------------------


@pytest.mark.parametrize("name", SCENES)
def test_pictures_are_those_that_people_have_looked_at(name: str) -> None:
    hashes = json.loads((GOLDEN / "hashes.json").read_text())
    of, words = SCENES[name]
    made, golden = image(of, lexicon=words), Image.open(GOLDEN / f"{name}.png").convert("RGB")
    assert made.size == golden.size
    difference = np.abs(np.asarray(made).astype(int) - np.asarray(golden))
    assert difference.mean() < 1  # another FreeType draws the edges of letters a little differently
    assert np.percentile(difference, 99) < 64
    if hashes["freetype"] == FREETYPE:
        assert digest(made) == hashes[name]


@settings(max_examples=12, deadline=None)
@given(configs(max_length=90) | grids(), seeds, seeds, st.booleans())
def test_every_picture_of_a_game_has_one_size(config: GameConfig, seed: int, other: int, reads: bool) -> None:
    words = silent(config) if reads else None
    sizes = set()
    for number, choice in ((seed, None), (other, 0)):
        episode = draw_episodes(config, 1, np.random.default_rng(number))
        message = np.full(config.message_length, -1 if choice is None else 1)
        sizes.add(image(Scene(config, episode, message, choice), lexicon=words).size)
    ((width, height),) = sizes
    assert width == WIDTH
    assert height % 2 == 0
    assert height < 1200


def test_a_scale_makes_it_larger_and_otherwise_the_same() -> None:
    one, two = image(scene()), image(scene(), scale=2)
    assert two.size == (2 * one.width, 2 * one.height)
    assert np.abs(np.asarray(two.reduce(2)).astype(int) - np.asarray(one)).mean() < 5
    with pytest.raises(ValueError, match="scale must be at least 1; got 0"):
        image(scene(), scale=0)


# --- What it shows ---------------------------------------------------------------------------------------


def changed(one: Scene, other: Scene, words: Lexicon | None = None, caption: str = "") -> str:
    """Return the parts in which two pictures differ."""
    before, after = image(one, lexicon=words), image(other, lexicon=words, caption=caption)
    differs = (np.asarray(before) != np.asarray(after)).any(axis=2)
    plan, found = layout.plan(one.config, words is not None), []
    for name in ("sequence", "sender", "message", "receiver", "outcome"):
        part = getattr(plan, name)
        left, top, right, bottom = map(int, part if name == "outcome" else part.box)
        if differs[top:bottom, left:right].any():
            found.append(name)
        differs[top:bottom, left:right] = False
    assert not differs.any()
    return " ".join(found)


def test_each_turn_changes_what_it_should() -> None:
    begin, half, sent = (scene(message=m) for m in ((-1, -1, -1), (3, -1, -1), (3, 11, 0)))
    right = scene(choice="right")
    assert changed(begin, half) == "message"
    assert changed(half, sent) == "sender message receiver outcome"
    assert changed(sent, scene(message=(3, 12, 0))) == "message"
    assert changed(sent, scene(message=(3, 12, 0)), WORDS) == "message outcome"
    assert changed(sent, right) == changed(right, scene(choice="wrong")) == "receiver outcome"
    assert changed(sent, scene(seed=8)) == "sequence sender receiver"
    assert changed(sent, sent, caption="episode 1 of 3") == "outcome"


def colours(made: Image.Image) -> set[str]:
    found = made.getcolors(1 << 24) or []
    return {"#{:02x}{:02x}{:02x}".format(*colour) for _, colour in found}  # type: ignore[misc]


@pytest.mark.parametrize("game", [{}, {"sequence_length": 60, "num_distractors": 50}])
def test_the_receiver_is_not_told_the_answer(game: dict[str, int]) -> None:
    def receiver_panel(of: Scene) -> Image.Image:
        return image(of).crop(tuple(map(int, layout.plan(of.config, False).receiver.box)))  # type: ignore[arg-type]

    before = [scene(message=message, **game) for message in ((-1, -1, -1), (3, 11, 0))]
    other = dataclasses.replace(before[0].episode, target_index=before[0].episode.target_index ^ 1)
    for of in before:
        assert picture._TARGET not in colours(receiver_panel(of))
        assert receiver_panel(of) == receiver_panel(dataclasses.replace(of, episode=other))
    assert picture._TARGET in colours(receiver_panel(scene(choice="right", **game)))


def test_a_long_reading_is_cut_where_the_card_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        picture, "message_in_words", lambda scene, lexicon: "one of 23 integers one left and " * 9
    )
    assert changed(scene(), scene(choice="right"), WORDS) == "receiver outcome"


# --- Moving pictures --------------------------------------------------------------------------------------


def test_a_gif_shows_the_turns(tmp_path: Path) -> None:
    frames = [image(s) for s in (scene(message=(-1, -1, -1)), scene(), scene(choice="right"))]
    write_gif(tmp_path / "play.gif", frames, (2, 2.5, 3.5))
    with Image.open(tmp_path / "play.gif") as gif:
        assert gif.n_frames == 3  # type: ignore[attr-defined]
        assert gif.info["loop"] == 0
        for number, frame in enumerate(frames):
            gif.seek(number)
            assert gif.info["duration"] == (2000, 2500, 3500)[number]
            difference = np.abs(np.asarray(gif.convert("RGB")).astype(int) - np.asarray(frame))
            assert difference.max() <= 64  # a GIF has 256 colours
            assert (difference.max(axis=2) == 0).mean() > 0.95
    assert [path.name for path in tmp_path.iterdir()] == ["play.gif"]
    write_gif(tmp_path / "arrays.gif", [np.array(frame) for frame in frames], (2, 2.5, 3.5))
    assert (tmp_path / "arrays.gif").read_bytes() == (tmp_path / "play.gif").read_bytes()


@pytest.mark.parametrize(
    ("name", "frames", "seconds", "text"),
    [
        ("play.mp4", 1, (1,), r"path must end in \.gif; got .*play\.mp4"),
        ("play.gif", 0, (), "there must be at least one frame; got none"),
        ("play.gif", 1, (1, 2), "seconds must be 1, one for each frame; got 2"),
    ],
)
def test_what_is_no_gif_is_refused(
    name: str, frames: int, seconds: tuple[int, ...], text: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=text):
        write_gif(tmp_path / name, [rgb_array(scene())] * frames, seconds)


def test_the_picture_in_the_readme_is_that_of_its_text() -> None:
    """spatial-game play --agents embed-60 --seed 3024810109 --episodes 1 --gif docs/images/episode.gif."""
    root = GOLDEN.parents[2]
    readme = (root / "README.md").read_text("utf-8")
    sent = re.search(r"sender_0 has acted: \[(\d+), (\d+), (\d+)\]", readme)
    chosen = re.search(r"receiver_0 has acted: (\d)", readme)
    assert sent and chosen  # noqa: PT018
    message = [int(symbol) for symbol in sent.groups()]
    words = read_lexicon(root / "agents/spatial_agents/pretrained/embed-60/00.lexicon.json.gz")
    said = interpreter(words).in_words(message)
    assert f"{message}, means: {said}" in readme
    assert f'"{said}"' in re.sub(r"\s+", " ", readme)  # what the picture shows, for those who do not see it
    first = scene(3024810109, (-1, -1, -1))
    last = dataclasses.replace(first, message=np.array(message), choice=int(chosen[1]))
    with Image.open(root / "docs" / "images" / "episode.gif") as gif:
        for number, state in ((0, first), (2, last)):
            gif.seek(number)
            difference = np.abs(np.asarray(gif.convert("RGB")).astype(int) - rgb_array(state, lexicon=words))
            assert (difference.max(axis=2) <= 16).mean() > 0.99
            assert (difference.max(axis=2) == 0).mean() > 0.9


if __name__ == "__main__":
    write_golden()

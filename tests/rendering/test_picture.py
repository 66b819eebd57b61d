"""The picture in pixels: the same from the same state, by hash and by look, and all that it must show.

After a change that is meant to change pictures, look at them and renew the golden ones:
PYTHONPATH=tests python tests/rendering/test_picture.py
"""

import dataclasses
import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
from helpers.pictures import WORDS, scene
from helpers.strategies import configs, grids
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, features

from spatial_game.config import GameConfig
from spatial_game.language import read_dictionary
from spatial_game.language.dictionary.interpreter import interpreter
from spatial_game.rendering import layout, picture
from spatial_game.rendering.picture import image, rgb_array, write_gif

GOLDEN = Path(__file__).parents[1] / "golden" / "pictures"
FREETYPE = features.version("freetype2")
LARGE = {"sequence_length": 400, "num_distractors": 40, "window_radius": 12, "message_length": 30}
SCENES = {
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


def digest(made):
    return hashlib.sha256(f"{made.size}".encode() + made.tobytes()).hexdigest()


def write_golden():
    pictures = {name: image(of, dictionary=words) for name, (of, words) in SCENES.items()}
    for name, made in pictures.items():
        made.save(GOLDEN / f"{name}.png", optimize=True)
    hashes = {"freetype": FREETYPE, **{name: digest(made) for name, made in pictures.items()}}
    (GOLDEN / "hashes.json").write_text(json.dumps(hashes, indent=1) + "\n")


# --- The same picture from the same state ----------------------------------------------------------------


@pytest.mark.parametrize("name", SCENES)
def test_pictures_are_those_that_people_have_looked_at(name):
    hashes = json.loads((GOLDEN / "hashes.json").read_text())
    of, words = SCENES[name]
    made, golden = image(of, dictionary=words), Image.open(GOLDEN / f"{name}.png").convert("RGB")
    assert made.size == golden.size
    difference = np.abs(np.asarray(made).astype(int) - np.asarray(golden))
    assert difference.mean() < 1  # another FreeType draws the edges of letters a little differently
    assert np.percentile(difference, 99) < 64
    if hashes["freetype"] == FREETYPE:
        assert digest(made) == hashes[name]


@settings(max_examples=20, deadline=None)
@given(configs(max_length=90) | grids(), st.booleans())
def test_the_pictures_of_any_game_fit_a_screen(config, reads):
    plan = layout.plan(config, reads)
    assert plan.height % 2 == 0
    assert plan.height < 1200
    for panel in (plan.sequence, plan.sender, plan.message, plan.receiver):
        for left, top, right, bottom in (panel.box, *panel.cells):
            assert panel.box[0] <= left < right <= panel.box[2]
            assert panel.box[1] <= top < bottom <= panel.box[3]
    assert plan.sender.box[2] == plan.message.box[0] < plan.message.box[2] == plan.receiver.box[0]


def test_a_scale_makes_it_larger_and_otherwise_the_same():
    one, two = image(scene()), image(scene(), scale=2)
    assert two.size == (2 * one.width, 2 * one.height)
    assert np.abs(np.asarray(two.reduce(2)).astype(int) - np.asarray(one)).mean() < 5
    with pytest.raises(ValueError, match="scale must be at least 1; got 0"):
        image(scene(), scale=0)


# --- What it shows ---------------------------------------------------------------------------------------


def differing(one, other, with_reading=False):
    """Return the parts in which two pictures of the game of 60 differ."""
    differs = (np.asarray(one) != np.asarray(other)).any(axis=2)
    plan, found = layout.plan(GameConfig(), with_reading), []
    for name in ("sequence", "sender", "message", "receiver", "outcome"):
        part = getattr(plan, name)
        left, top, right, bottom = map(int, part if name == "outcome" else part.box)
        if differs[top:bottom, left:right].any():
            found.append(name)
        differs[top:bottom, left:right] = False
    assert not differs.any()
    return " ".join(found)


def test_each_turn_changes_what_it_should():
    begin, half, sent = (image(scene(message=m)) for m in ((-1, -1, -1), (3, -1, -1), (3, 11, 0)))
    right = image(scene(choice="right"))
    assert differing(begin, half) == "message"
    assert differing(half, sent) == "sender message receiver outcome"
    assert differing(sent, right) == differing(right, image(scene(choice="wrong"))) == "receiver outcome"
    assert differing(sent, image(scene(seed=8))) == "sequence sender receiver"
    assert differing(sent, image(scene(), caption="episode 1 of 3")) == "outcome"
    in_words = [image(scene(message=message), dictionary=WORDS) for message in ((3, 11, 0), (3, 12, 0))]
    assert differing(*in_words, with_reading=True) == "message outcome"


def colours(made):
    found = made.getcolors(1 << 24) or []
    return {"#{:02x}{:02x}{:02x}".format(*colour) for _, colour in found}


def test_the_receiver_is_not_told_the_answer():
    def receiver_panel(of):
        return image(of).crop(tuple(map(int, layout.plan(of.config, False).receiver.box)))

    sent = scene()
    other = dataclasses.replace(sent.episode, target_index=sent.episode.target_index ^ 1)
    shown = receiver_panel(sent)
    assert picture._TARGET not in colours(shown)
    assert shown == receiver_panel(dataclasses.replace(sent, episode=other))
    assert picture._TARGET in colours(receiver_panel(scene(choice="right")))


def test_a_long_reading_is_cut_where_the_card_ends(monkeypatch):
    short = image(scene(), dictionary=WORDS)
    monkeypatch.setattr(
        picture, "message_text", lambda scene, dictionary: "one of 23 integers one left and " * 4
    )
    assert differing(short, image(scene(), dictionary=WORDS), with_reading=True) == "outcome"


# --- Moving pictures --------------------------------------------------------------------------------------


def test_a_gif_shows_the_turns(tmp_path):
    game = {"sequence_length": 3, "window_radius": 1, "num_distractors": 1}
    frames = [image(s) for s in (scene(message=(-1, -1, -1), **game), scene(choice="right", **game))]
    write_gif(tmp_path / "play.gif", frames, (2, 2.5))
    with Image.open(tmp_path / "play.gif") as gif:
        assert gif.n_frames == 2
        assert gif.info["loop"] == 0
        for number, frame in enumerate(frames):
            gif.seek(number)
            assert gif.info["duration"] == (2000, 2500)[number]
            difference = np.abs(np.asarray(gif.convert("RGB")).astype(int) - np.asarray(frame))
            assert difference.max() <= 64  # a GIF has 256 colours
            assert (difference.max(axis=2) == 0).mean() > 0.95
    assert [path.name for path in tmp_path.iterdir()] == ["play.gif"]
    write_gif(tmp_path / "arrays.gif", [np.array(frame) for frame in frames], (2, 2.5))
    assert (tmp_path / "arrays.gif").read_bytes() == (tmp_path / "play.gif").read_bytes()


@pytest.mark.parametrize(
    ("name", "frames", "seconds", "text"),
    [
        ("play.mp4", 1, (1,), r"path must end in \.gif; got .*play\.mp4"),
        ("play.gif", 0, (), "there must be at least one frame; got none"),
        ("play.gif", 1, (1, 2), "seconds must be 1, one for each frame; got 2"),
    ],
)
def test_other_files_than_gifs_are_refused(name, frames, seconds, text):
    with pytest.raises(ValueError, match=text):
        write_gif(name, [np.zeros((2, 2, 3), np.uint8)] * frames, seconds)


def test_the_picture_in_the_readme_is_that_of_its_text():
    """spatial-game play embed-60 --seed 3024810109 --episodes 1 --gif docs/images/episode.gif."""
    root = GOLDEN.parents[2]
    readme = (root / "README.md").read_text("utf-8")
    sent = re.search(r"sender_0 has acted: \[(\d+), (\d+), (\d+)\]", readme)
    chosen = re.search(r"receiver_0 has acted: (\d)", readme)
    assert sent and chosen  # noqa: PT018
    message = [int(symbol) for symbol in sent.groups()]
    words = read_dictionary(root / "agents/spatial_agents/pretrained/embed-60/00.dictionary.json.gz")
    said = interpreter(words).text(message)
    assert f'"{said}"' in re.sub(r"\s+", " ", readme)  # what the picture shows, for those who do not see it
    last = dataclasses.replace(scene(3024810109, message), choice=int(chosen[1]))
    with Image.open(root / "docs" / "images" / "episode.gif") as gif:
        gif.seek(2)
        difference = np.abs(np.asarray(gif.convert("RGB")).astype(int) - rgb_array(last, dictionary=words))
        assert (difference.max(axis=2) <= 16).mean() > 0.99
        assert (difference.max(axis=2) == 0).mean() > 0.9


if __name__ == "__main__":
    write_golden()

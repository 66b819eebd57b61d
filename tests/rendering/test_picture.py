"""The picture in pixels: the same from the same state, by hash and by look, and all that it must show.

After a change that is meant to change pictures, look at them and renew the golden ones:
python tests/rendering/test_picture.py
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, features
from strategies import configs, grids, seeds

from spatial_game import referential_v0
from spatial_game.cli import main
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.scene import Scene
from spatial_game.language import Lexicon
from spatial_game.language.counting.forms import Form
from spatial_game.language.dictionary.entries import Entry, Sense, rules_from_confidence
from spatial_game.language.meaning import Meaning
from spatial_game.language.npmi.settings import Settings
from spatial_game.language.players.reading import in_words
from spatial_game.rendering import picture, viewer
from spatial_game.rendering.picture import WIDTH, image, rgb_array, write_gif
from spatial_game.rendering.viewer import Viewer, Window

GOLDEN = Path(__file__).parents[1] / "golden" / "pictures"
FREETYPE = features.version("freetype2")


def entry(symbols: tuple[int, ...], slot: int | None, meaning: Meaning) -> Entry:
    return Entry(Form(symbols, slot), (Sense((meaning,), 1.0),), 0.9, 1.0, 50, 0.0, 0.0)


def lexicon(config: GameConfig, *entries: Entry) -> Lexicon:
    return Lexicon(config, Settings(), tuple(rules_from_confidence(entries, config)), "hand-made")


def scene(seed: int = 7, message: Any = (3, 11, 0), choice: str | None = None, **game: Any) -> Scene:
    """An episode of the seed, with a choice that is right or wrong, or none yet."""
    config = GameConfig(**game)
    episode = draw_episodes(config, 1, np.random.default_rng(seed))
    target = int(episode.target_index[0])
    chosen = {None: None, "right": target, "wrong": (target + 1) % config.num_candidates}[choice]
    return Scene(config, episode, np.array(message), chosen)


SIXTY = GameConfig()
WORDS = lexicon(SIXTY, entry((3, 11, 0), 0, Meaning(-1, (51,))))
LARGE = {"sequence_length": 2000, "num_distractors": 40, "window_radius": 12, "message_length": 30}
PICTURES: dict[str, Image.Image] = {
    "begin": image(scene(message=(-1, -1, -1))),
    "right-in-words": image(scene(choice="right"), lexicon=WORDS),
    "wrong-20": image(scene(choice="wrong", sequence_length=20)),
    "least": image(
        scene(message=(1,), sequence_length=3, window_radius=1, num_distractors=1, message_length=1)
    ),
    "grid": image(scene(choice="right", shape=(8, 8), window_radius=1, num_visible=2)),
    "slices": image(scene(message=(3, -1, -1), shape=(4, 4, 4), window_radius=1)),
    "large": image(scene(message=range(30), vocab_size=1000, **LARGE)),
}


def digest(picture: Image.Image) -> str:
    return hashlib.sha256(f"{picture.size}".encode() + picture.tobytes()).hexdigest()


def write_golden() -> None:
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name, made in PICTURES.items():
        made.save(GOLDEN / f"{name}.png", optimize=True)
    hashes = {"freetype": FREETYPE, **{name: digest(made) for name, made in PICTURES.items()}}
    (GOLDEN / "hashes.json").write_text(json.dumps(hashes, indent=1) + "\n")


# --- The same picture from the same state ----------------------------------------------------------------


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_those_that_people_have_looked_at(name: str) -> None:
    hashes = json.loads((GOLDEN / "hashes.json").read_text())
    made, golden = PICTURES[name], Image.open(GOLDEN / f"{name}.png").convert("RGB")
    assert made.size == golden.size
    difference = np.abs(np.asarray(made).astype(int) - np.asarray(golden))
    assert difference.mean() < 1  # another FreeType draws the edges of letters a little differently
    assert np.percentile(difference, 99) < 64
    if hashes["freetype"] == FREETYPE:
        assert digest(made) == hashes[name]


def test_another_process_draws_the_same() -> None:
    code = (
        "import sys; sys.path[:0] = ['tests', 'tests/rendering']\n"
        "from test_picture import PICTURES, digest; print(digest(PICTURES['wrong-20']))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=GOLDEN.parents[2], capture_output=True, text=True)
    assert done.stdout.strip() == digest(PICTURES["wrong-20"]), done.stderr


@settings(max_examples=12, deadline=None)
@given(configs(max_length=90) | grids(), seeds, seeds, st.booleans())
def test_every_picture_of_a_game_has_one_size(config: GameConfig, seed: int, other: int, reads: bool) -> None:
    words = lexicon(config) if reads else None
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


def test_a_caption_changes_only_its_corner() -> None:
    plain, captioned = (np.asarray(image(scene(), caption=text)) for text in ("", "episode 1 of 3"))
    rows, columns = np.nonzero((plain != captioned).any(axis=2))
    assert rows.min() > 360
    assert columns.min() > 700


# --- What it shows ---------------------------------------------------------------------------------------


def colours(picture: Image.Image) -> set[str]:
    found = picture.getcolors(1 << 24) or []
    return {"#{:02x}{:02x}{:02x}".format(*colour) for _, colour in found}  # type: ignore[misc]


def changed(one: Scene, other: Scene, words: Lexicon | None = None) -> tuple[bool, bool, bool, bool, bool]:
    """In which parts two pictures differ: sequence, sender, message, receiver, outcome."""
    differs = (rgb_array(one, lexicon=words) != rgb_array(other, lexicon=words)).any(axis=2)
    plan = picture._plan(one.config, words is not None)
    parts = (plan.sequence, plan.sender, plan.message, plan.receiver)
    boxes = [tuple(map(int, box)) for box in (*(part.box for part in parts), plan.outcome)]
    found = tuple(bool(differs[top:bottom, left:right].any()) for left, top, right, bottom in boxes)
    for left, top, right, bottom in boxes:
        differs[top:bottom, left:right] = False
    assert not differs.any()
    return found  # type: ignore[return-value]


def test_each_turn_changes_what_it_should() -> None:
    begin, half, sent = (scene(message=m) for m in ((-1, -1, -1), (3, -1, -1), (3, 11, 0)))
    assert changed(begin, half) == (False, False, True, False, False)
    assert changed(half, sent) == (False, True, True, True, True)
    assert changed(sent, scene(message=(3, 12, 0))) == (False, False, True, False, False)
    assert changed(sent, scene(choice="right")) == (False, False, False, True, True)
    assert changed(scene(choice="right"), scene(choice="wrong")) == (False, False, False, True, True)
    assert changed(sent, scene(seed=8)) == (True, True, False, True, False)


@pytest.mark.parametrize("game", [{}, {"sequence_length": 60, "num_distractors": 50}])
def test_the_receiver_is_not_told_the_answer(game: dict[str, int]) -> None:
    def receiver_panel(of: Scene) -> Image.Image:
        return image(of).crop(tuple(map(int, picture._plan(of.config, False).receiver.box)))  # type: ignore[arg-type]

    before = [scene(message=message, **game) for message in ((-1, -1, -1), (3, 11, 0))]
    other = dataclasses.replace(before[0].episode, target_index=before[0].episode.target_index ^ 1)
    for of in before:
        assert picture._TARGET not in colours(receiver_panel(of))
        assert receiver_panel(of) == receiver_panel(dataclasses.replace(of, episode=other))
    assert picture._TARGET in colours(receiver_panel(scene(choice="right", **game)))


def test_right_and_wrong_have_their_colours() -> None:
    shown = {choice: colours(image(scene(choice=choice))) for choice in (None, "right", "wrong")}
    assert not {picture._RIGHT, picture._WRONG} & shown[None]
    assert picture._RIGHT in shown["right"] - shown["wrong"]
    assert picture._WRONG in shown["wrong"] - shown["right"]


def cell_pixels(place: int, of: Scene, pixels: Any) -> Any:
    """The inside of a cell of the sequence in a picture."""
    panel = picture._plan(of.config, False).sequence
    shown = panel.cells.shown(int(of.episode.target_position[0]))
    x0, y0, x1, y1 = (round(end) for end in panel.cell_box(place, shown))
    return pixels[y0 + 5 : y1 - 8, x0 + 5 : x1 - 5]


def test_sixty_integers_can_be_told_apart() -> None:
    of = scene()
    pixels = rgb_array(of)
    cells = [cell_pixels(place, of, pixels) for place in range(60)]
    plain = [cell for cell in cells if cell[0, 0].tolist() == list(bytes.fromhex(picture._CELL.lstrip("#")))]
    assert len(plain) == 55
    for one, other in itertools.combinations(plain, 2):
        rows, columns = (min(one.shape[axis], other.shape[axis]) for axis in (0, 1))
        assert (np.abs(one[:rows, :columns].astype(int) - other[:rows, :columns]) > 100).any()
    for cell in plain:
        dark = np.flatnonzero((cell.max(axis=2) < 110).any(axis=1))
        assert dark[-1] - dark[0] >= 10  # digits are that high


def test_the_message_is_read_in_words() -> None:
    sent, plain = scene(), lexicon(SIXTY)
    assert changed(sent, scene(message=(3, 11, 1)), WORDS) == (False, False, True, False, True)
    assert image(sent, lexicon=WORDS).height > image(sent).height
    unread = rgb_array(sent, lexicon=plain)
    assert (unread != rgb_array(sent, lexicon=WORDS)).any()
    assert unread.shape == rgb_array(sent, lexicon=WORDS).shape


def test_a_long_reading_is_cut_where_the_card_ends() -> None:
    whole = [3, 11, 0]
    entries = [entry(whole, 0, Meaning(k, tuple(range(9)))) for k in (-2, -1, 1, 2)]
    assert not changed(scene(), scene(choice="right"), lexicon(SIXTY, *entries))[0]
    assert picture._cut("a" * 500, 17, 100).endswith("…")
    assert picture._cut("as it is", 17, 100) == "as it is"


# --- For every kind of eyes ------------------------------------------------------------------------------


def linear(colour: str) -> Any:
    channels = np.array(list(bytes.fromhex(colour.lstrip("#")))) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of the Web Content Accessibility Guidelines."""
    light, dark = sorted((float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        *itertools.product([picture._INK], [picture._CARD, picture._CELL, picture._WINDOW, picture._TARGET]),
        *itertools.product([picture._QUIET, picture._RIGHT, picture._WRONG], [picture._CARD]),
        (picture._QUIET, picture._PAPER),
        (picture._SYMBOL_INK, picture._SYMBOL),
    ],
)
def test_text_has_contrast(ink: str, ground: str) -> None:
    assert contrast(ink, ground) >= 4.5


# How people without one kind of cone see linear RGB (Viénot, Brettel and Mollon 1999; tritan: Machado,
# Oliveira and Fernandes 2009).
SIGHT = {
    "full": np.eye(3),
    "protan": np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]]),
    "deutan": np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]),
    "tritan": np.array(
        [[1.25553, -0.07675, -0.17878], [-0.07841, 0.93081, 0.14760], [0.00473, 0.69137, 0.30390]]
    ),
}


@pytest.mark.parametrize("sight", SIGHT)
def test_colours_differ_for_everybody(sight: str) -> None:
    groups = [
        (picture._CELL, picture._WINDOW, picture._TARGET),
        (picture._WINDOW_EDGE, picture._TARGET_EDGE),
        (picture._RIGHT, picture._WRONG),
    ]
    for group in groups:
        for one, other in itertools.combinations(group, 2):
            seen = [np.clip(SIGHT[sight] @ linear(colour), 0, 1) ** (1 / 2.2) for colour in (one, other)]
            assert np.linalg.norm(seen[0] - seen[1]) > 0.12, (one, other)


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


def test_the_picture_in_the_readme_is_that_of_its_text() -> None:
    """spatial-game play --agents embed-60 --seed 3024810109 --episodes 1 --gif docs/images/episode.gif."""
    root = GOLDEN.parents[2]
    readme = (root / "README.md").read_text("utf-8")
    sent = re.search(r"sender_0 has acted: \[(\d+), (\d+), (\d+)\]", readme)
    chosen = re.search(r"receiver_0 has acted: (\d)", readme)
    assert sent and chosen  # noqa: PT018
    message = [int(symbol) for symbol in sent.groups()]
    words = Lexicon.read(root / "agents/spatial_agents/pretrained/embed-60/00.lexicon.json.gz")
    said = in_words(words, message)
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


@pytest.mark.parametrize(
    ("frames", "message"),
    [([], "frames must be pictures of one size; got none"), (["begin", "wrong-20"], "of one size; got")],
)
def test_a_gif_needs_frames_of_one_size(tmp_path: Path, frames: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        write_gif(tmp_path / "play.gif", [PICTURES[name] for name in frames])
    assert not list(tmp_path.iterdir())


def test_play_writes_a_gif_that_reads_the_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lexicon(GameConfig(sequence_length=20)).write("lexicon.json")
    game = ["play", "--agents", "oracle", "--sequence-length", "20", "--episodes", "2"]
    assert main([*game, "--lexicon", "lexicon.json", "--gif", "play.gif"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("in words     the dictionary does not say") == 2
    assert "play.gif" in shown
    with Image.open("play.gif") as gif:
        assert gif.n_frames == 6  # type: ignore[attr-defined]
    assert main([*game, "--gif", "again.gif", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["gif"] == "again.gif"


# --- Render modes -----------------------------------------------------------------------------------------


def test_environments_render_pixels(tmp_path: Path) -> None:
    env = referential_v0.env(render_mode="rgb_array")
    env.reset(seed=7)
    seen = env.render()
    assert (seen.dtype, seen.shape) == (np.uint8, (seen.shape[0], WIDTH, 3))
    np.testing.assert_array_equal(seen, rgb_array(env.unwrapped.scene()))
    path = tmp_path / "lexicon.json"
    WORDS.write(path)
    for given_as in (path, str(path), WORDS):
        reading = referential_v0.env(render_mode="rgb_array", lexicon=given_as)
        reading.reset(seed=7)
        np.testing.assert_array_equal(reading.render(), rgb_array(reading.unwrapped.scene(), lexicon=WORDS))
    text = referential_v0.env(render_mode="ansi", lexicon=WORDS)
    text.reset(seed=7)
    assert "in words" not in text.render()
    text.step(np.array([3, 11, 0]))
    assert "\nin words     51 one left\n" in text.render()


def test_a_lexicon_of_another_game_is_refused() -> None:
    with pytest.raises(ValueError, match="the lexicon is of another game: its message_length must be 3"):
        referential_v0.env(render_mode="ansi", lexicon=WORDS, message_length=2)
    with pytest.raises(ValueError, match="message must have 3 symbols, as the lexicon's; got 2"):
        image(scene(message=(1, 2), message_length=2), lexicon=WORDS)


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
    shown = screen.surfarray.array3d(screen.display.get_surface()).swapaxes(0, 1)
    np.testing.assert_array_equal(shown, rgb_array(env.unwrapped.scene()))
    env.step(np.array([3, 11, 0]))
    shown = screen.surfarray.array3d(screen.display.get_surface()).swapaxes(0, 1)
    np.testing.assert_array_equal(shown, rgb_array(env.unwrapped.scene()))
    assert env.render() is None
    env.close()
    env.close()
    assert screen.display.get_surface() is None
    assert capsys.readouterr().out == ""


def test_a_closed_window_stays_closed(screen: Any) -> None:
    window = Window(fps=100)
    pixels = rgb_array(scene())
    window.show(pixels)
    screen.event.post(screen.event.Event(screen.QUIT))
    window.show(pixels)
    assert screen.display.get_surface() is None
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


if __name__ == "__main__":
    write_golden()

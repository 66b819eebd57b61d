"""The text picture: exact for a small episode, complete and narrow enough for any."""

import re

import numpy as np
import pytest
from helpers.strategies import configs, grids, seeds
from hypothesis import given, settings
from hypothesis import strategies as st

from spatial_agents.pairs.names import PRETRAINED
from spatial_game.config import GameConfig
from spatial_game.game.episodes import derive, draw_episodes
from spatial_game.game.scene import Scene
from spatial_game.language import read_dictionary
from spatial_game.rendering.text import ansi, message_text, receiver_ansi, sender_ansi

# The paper's sequence and candidates (section 2.1); 15 is the target.
CONFIG = GameConfig(sequence_length=16, num_integers=17, num_distractors=3)
SEQUENCE = [7, 5, 2, 12, 10, 4, 3, 15, 16, 13, 14, 6, 9, 8, 11, 1]
EPISODE = derive(CONFIG, [SEQUENCE], [[0, 7, 14, 12]], [1])


def scene(message=(3, 1, 1), choice=None):
    return Scene(CONFIG, EPISODE, np.array(message), choice)


def lines(text):
    return text.split("\n")


def test_the_papers_example():
    assert lines(ansi(scene(choice=1))) == [
        "sequence      7   5   2  12  10 [ 4   3  15  16  13] 14   6   9   8  11   1",
        "                                         ^^ the target",
        "window      [ 4   3  __  16  13]  all that the sender sees",
        "message     [3  1  1]  all that the receiver hears",
        "candidates   0: 7    1: 15   2: 11   3: 9     the receiver sees these and the sequence",
        "choice       1: 15   right: both agents earn 1",
    ]


def test_each_agent_sees_its_own_view():
    assert lines(sender_ansi(scene())) == ["window      [ 4   3  __  16  13]  all that the sender sees"]
    assert lines(receiver_ansi(scene(), width=60)) == [
        "sequence    [ 7]  5   2  12  10   4   3 [15] 16  13",
        "              0                           1",
        "             14   6 [ 9]  8 [11]  1",
        "                      3       2",
        "message     [3  1  1]  all that the receiver hears",
        "candidates   0: 7    1: 15   2: 11   3: 9",
    ]


HEARD = "[ 3  11   0]  all that the receiver hears"


@pytest.mark.parametrize(
    ("message", "choice", "shown"),
    [
        ((-1, -1, -1), None, ["[.  .  .]  the sender is to speak", " the receiver is to choose"]),
        ((3, -1, -1), None, ["[3  .  .]  the sender is to speak", " the receiver is to choose"]),
        ((3, 11, 0), None, [HEARD, " the receiver is to choose"]),
        ((3, 11, 0), 3, [HEARD, " 3: 9   wrong, it is 15: both agents earn 0"]),
    ],
)
def test_each_turn_of_an_episode(message, choice, shown):
    picture = lines(ansi(scene(message, choice)))
    assert [picture[3][12:], picture[5][12:]] == shown


GRID = GameConfig(shape=(3, 4), window_radius=1, num_distractors=2, num_visible=6)
GRID_EPISODE = derive(GRID, [range(12)], [[7, 0, 9]], [0], [[0, 7]])
CUBE = GameConfig(shape=(3, 3, 3), window_radius=1, num_distractors=2)
CUBE_EPISODE = derive(CUBE, [range(27)], [[13, 0, 26]], [0])


def test_a_grid_is_a_grid():
    assert lines(ansi(Scene(GRID, GRID_EPISODE, np.array([3, 1, 1]), 0))) == [
        "sequence      0 [ 1   2   3]",
        "              4 [ 5   6   7]",
        "                         ^^ the target",
        "              8 [ 9  10  11]",
        "window      [##   2   3]",
        "            [ 5   6  __]",
        "            [ 9  10  ##]  all that the sender sees; ## is hidden",
        "message     [3  1  1]  all that the receiver hears",
        "candidates   0: 7   1: 0   2: 9    the receiver sees these and the sequence",
        "choice       0: 7   right: both agents earn 1",
    ]
    assert lines(receiver_ansi(Scene(GRID, GRID_EPISODE, np.array([3, 1, 1]))))[:6] == [
        "sequence    [ 0]  1   2   3",
        "              1",
        "              4   5   6 [ 7]",
        "                          0",
        "              8 [ 9] 10  11",
        "                  2",
    ]


def test_a_grid_of_three_axes_has_its_slices_side_by_side_or_below():
    cube = Scene(CUBE, CUBE_EPISODE, np.array([3, 1, 1]))
    assert lines(ansi(cube))[:4] == [
        "sequence    [ 0   1   2]   [ 9  10  11]   [18  19  20]",
        "            [ 3   4   5]   [12  13  14]   [21  22  23]",
        "                                ^^ the target",
        "            [ 6   7   8]   [15  16  17]   [24  25  26]",
    ]
    assert lines(sender_ansi(cube, width=45)) == [
        "window      [ 0   1   2]   [ 9  10  11]",
        "            [ 3   4   5]   [12  __  14]",
        "            [ 6   7   8]   [15  16  17]",
        "",
        "            [18  19  20]",
        "            [21  22  23]",
        "            [24  25  26]",
    ]


@pytest.mark.parametrize("width", [1, 13, 17])
def test_words_are_shown_in_a_narrow_terminal(width):
    dictionary = read_dictionary(PRETRAINED / "embed-60" / "00.dictionary.json.gz")
    drawn = draw_episodes(GameConfig(), 1, np.random.default_rng(0))
    shown = Scene(GameConfig(), drawn, np.array([1, 2, 3]))
    text, words = ansi(shown, width=width, dictionary=dictionary), message_text(shown, dictionary).split()
    assert text.split("in words")[1].split()[: len(words)] == words


@settings(max_examples=30, deadline=None)
@given(configs(max_length=70) | grids(), seeds, st.integers(70, 160), st.booleans())
def test_any_episode_is_shown_whole(config, seed, width, colour):
    rng = np.random.default_rng(seed)
    episode = draw_episodes(config, 1, rng)
    message = rng.integers(0, config.vocab_size, config.message_length)
    picture = ansi(
        Scene(config, episode, message, choice=int(rng.integers(config.num_candidates))),
        colour=colour,
        width=width,
    )
    label, plain = "", re.sub(r"\x1b\[[0-9;]*m", "", picture)
    assert colour == (plain != picture)
    for line in lines(picture):  # every style ends on its own line
        assert line.count("\x1b[0m") * 2 == line.count("\x1b[")
    assert max(len(line) for line in lines(plain)) <= width
    (below,) = (number for number, line in enumerate(lines(plain)) if "the target" in line)
    begin, end = lines(plain)[below].index("^"), lines(plain)[below].rindex("^") + 1
    assert int(lines(plain)[below - 1][begin:end]) == episode.target[0]
    numbers = {}
    for line in (line for line in lines(plain) if "^" not in line):
        label = line[:12].strip() or label
        numbers.setdefault(label, []).extend(int(number) for number in re.findall(r"\d+", line[12:]))
    assert list(numbers) == ["sequence", "window", "message", "candidates", "choice"]
    ordered = sorted if len(config.shape) > 2 else list  # slices stand side by side
    assert ordered(numbers["sequence"]) == ordered(episode.sequence[0].tolist())
    assert ordered(numbers["window"]) == ordered(cell for cell in episode.window[0].tolist() if cell >= 0)
    assert numbers["message"] == message.tolist()
    assert numbers["candidates"][1::2] == episode.candidates[0].tolist()

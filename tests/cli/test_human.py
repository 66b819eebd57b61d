"""A person plays: what is shown, the answers that are understood, the score, pictures."""

import io
import os
import sys

import numpy as np
import pytest
from PIL import Image

from spatial_game.cli import main
from spatial_game.cli.human import Person, choice_of, message_of
from spatial_game.cli.options import GameOptions
from spatial_game.cli.players import load_players
from spatial_game.cli.terminal import Output
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.recording import record


@pytest.fixture(scope="module")
def players():
    return load_players("oracle", GameOptions(), 0)


@pytest.fixture(scope="module")
def lexicon(players):
    episodes = draw_episodes(players.config, 20_000, np.random.default_rng(0))
    return Lexicon.by_npmi(count(record(players.sender, None, episodes, players.config)), threshold=0.4)


@pytest.fixture
def narrow(monkeypatch):
    """A terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.usefixtures("narrow")
def test_as_receiver(players, lexicon, capsys):
    episodes = draw_episodes(players.config, 3, np.random.default_rng(5))
    right, wrong = episodes.target[0], (episodes.target_index[1] + 1) % 5
    number = episodes.target_index[0]
    answers = iter(["99", "what?", str(number), str(wrong), "q"])
    person = Person("receiver", players, lexicon, Output(), lambda question: next(answers))
    assert person.play(3, 5) == {"role": "receiver", "played": 2, "won": 1, "agent_won": 2}
    shown = capsys.readouterr().out
    assert shown.count("A choice must be the number of a candidate, 0 to 4; got") == 2
    assert f"Right: the target is {right}, in " in shown
    assert f" [{right}] " in shown
    assert f"The receiver of oracle chooses {right}." in shown
    assert "two left" in shown
    assert f"Wrong: the target is {episodes.target[1]}" in shown
    assert shown.endswith("You won 1 of 2; the receiver would have won 2.\n")
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.usefixtures("narrow")
def test_the_receiver_sees_the_whole_sequence_and_not_the_target(players, lexicon, capsys):
    Person("receiver", players, lexicon, Output(), lambda question: "q").play(1, 5)
    shown = capsys.readouterr().out
    episode = draw_episodes(players.config, 1, np.random.default_rng(5))
    grid = shown[shown.index("sequence") : shown.index("message")].removeprefix("sequence")
    rows = [row.split() for row in grid.replace("[", " ").replace("]", " ").splitlines()]
    numbers = [int(cell) for row in rows if len(row) == 10 for cell in row]
    assert numbers == episode.sequence[0].tolist()
    assert shown.count("[") == 5 + 1  # the candidates, and the message
    assert "the target" not in shown
    assert "untrue here" not in shown


def test_the_rules_are_shown_when_asked_for(players, lexicon, capsys):
    for role, words in {"receiver": "which stands below it", "sender": "3 symbols of 0..25"}.items():
        answers = iter(["?", "q"])
        result = Person(role, players, lexicon, Output(), lambda question: next(answers)).play(1, 0)  # noqa: B023
        assert result["played"] == 0
        assert words in " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("narrow")
def test_as_sender_with_what_the_dictionary_suggests(players, lexicon, capsys):
    first = draw_episodes(players.config, 1, np.random.default_rng(6))
    own = players.sender.send(first.window)[0].tolist()
    answers = iter(["1 2", str(own), *"1111"])
    person = Person("sender", players, lexicon, Output(), lambda question: next(answers))
    assert person.play(5, 6) == {"role": "sender", "played": 5, "won": 5, "agent_won": 5}
    shown = capsys.readouterr().out
    assert "A message must be 3 symbols of 0..25, or the number of a suggestion; got 1 2" in shown
    assert "1: [" in shown
    assert f"The sender of oracle says {own}; with it" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_pictures_follow_only_when_an_episode_is_over(players):
    seen, before = [], []

    def ask(question):
        before.append(len(seen))
        return "0" if len(before) < 3 else "q"

    Person("receiver", players, None, Output(), ask).play(3, 0, seen.append)
    assert before == [0, 3, 6]
    assert [(scene.sent, scene.choice) for scene in seen] == 2 * [(False, None), (True, None), (True, 0)]


def test_without_a_lexicon(players, capsys):
    for role in ("receiver", "sender"):
        answers = iter(["0 0 0" if role == "sender" else "0", "q"])
        result = Person(role, players, None, Output(), lambda question: next(answers)).play(2, 0)  # noqa: B023
        assert result["played"] == 1
    assert "means" not in capsys.readouterr().out


def test_a_choice_is_the_number_of_a_candidate():
    assert [choice_of(answer, 5) for answer in "01234"] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("answer", ["", "5", "-1", "7 7", "1e3", "999999999999", "#1"])
def test_other_choices_are_refused(answer):
    with pytest.raises(ValueError, match=r"^A choice must be the number of a candidate, 0 to 4$"):
        choice_of(answer, 5)


@pytest.mark.parametrize("answer", ["7 1 2", "7,1,2", "[7, 1, 2]", " [7 1 2]", "2"])
def test_a_message_is_its_symbols_or_a_suggestion(answer):
    assert message_of(answer, GameConfig(), [[0, 0, 0], [7, 1, 2]]).tolist() == [[7, 1, 2]]


@pytest.mark.parametrize(
    "answer", ["", "0", "3", "7 1", "7 1 26", "7 1 2 3", "7 -1 2", "a b c", "9999999999"]
)
def test_other_messages_are_refused(answer):
    with pytest.raises(ValueError, match=r"^A message must be 3 symbols of 0..25, or the number"):
        message_of(answer, GameConfig(), [[0, 0, 0], [7, 1, 2]])


def test_a_message_of_one_symbol_is_that_symbol():
    config = GameConfig(20, message_length=1)
    assert message_of("2", config, [[9], [8]]).tolist() == [[2]]


def test_from_the_command_line(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert main(["play", "--agents", "oracle", "--as", "receiver"]) == 0
    assert "You finished no episode." in capsys.readouterr().out
    assert main(["play", "--agents", "oracle", "--as", "sender", "--json"]) == 1
    assert "json must be left out where a person plays" in capsys.readouterr().err


def test_the_gif_shows_the_episodes_that_were_played(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO("0\n1\nq\n"))
    words = ["play", "--agents", "oracle", "--as", "receiver", "--gif", "me.gif"]
    assert main([*words, "--episodes", "3"]) == 0
    assert capsys.readouterr().out.endswith("gif me.gif\n")
    with Image.open("me.gif") as picture:
        assert picture.n_frames == 6
    os.remove("me.gif")
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    assert main(words) == 0
    assert "gif" not in capsys.readouterr().out
    assert not os.path.exists("me.gif")


def test_a_gif_is_nothing_else(tmp_path, capsys):
    assert main(["play", "--agents", "oracle", "--gif", str(tmp_path / "foo.mp4")]) == 1
    assert "gif must be a file whose name ends in .gif; got " in capsys.readouterr().err

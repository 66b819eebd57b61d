"""`play`: episodes that agents or a person play, what is shown, the answers, the score and pictures."""

import errno
import io

import numpy as np
import pytest
from PIL import Image

from spatial_game import GameConfig, draw_episodes, load_agents
from spatial_game.cli import main
from spatial_game.cli.human import Person, message_of
from spatial_game.game.seeds import random_stream
from spatial_game.language import read_dictionary


@pytest.fixture
def agents():
    return load_agents("oracle")


@pytest.fixture
def dictionary(oracle_files):
    return read_dictionary(oracle_files / "dictionary.json")


@pytest.fixture(autouse=True)
def _narrow(monkeypatch):
    """A terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")


# --- Agents play ----------------------------------------------------------------------------------------


def test_a_bundled_pair_is_shown_with_its_own_dictionary(text):
    assert "in words" in text("play embed-60 --episodes 1")
    assert "in words" not in text("play embed-60/1 --episodes 1")


def test_each_turn_is_shown(text, result):
    shown = text("play oracle --episodes 2 --seed 3")
    assert len({line for line in shown.splitlines() if "sender_0 has acted" in line}) == 2
    assert shown.count("receiver_0 has acted") == 2
    assert "won 2 of 2" in shown
    found = result("play random --episodes 4")
    assert found["won"] == sum(episode["reward"] for episode in found["episodes"])
    assert {"sender_0", "receiver_0", "reward"} == set(found["episodes"][0])


def test_a_grid_is_shown_and_drawn(text):
    shown = text("play oracle --shape 4x5 --window-radius 1 --num-visible 2 --episodes 1 --gif a.gif")
    assert "## is hidden" in shown
    with Image.open("a.gif") as picture:
        assert picture.n_frames == 3


def test_the_picture_is_written_before_anything_is_printed(tmp_path, monkeypatch):
    class Full(io.StringIO):
        def write(self, text):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("sys.stdout", Full())
    line = f"play oracle --game tiny --episodes 1 --gif {tmp_path / 'a.gif'}"
    assert main(line.split()) == 1
    with Image.open(tmp_path / "a.gif") as picture:
        assert picture.n_frames == 3


@pytest.mark.parametrize("role", ["", "--as sender", "--as receiver"])
def test_the_dictionary_of_another_game_is_refused_at_once(role, files, error):
    line = f"play oracle {role} --dictionary dictionary.json"
    wider = "--window-radius 3 --message-length 2 --vocab-size 400"
    assert "dictionary must be of the game that is played: its vocab_size " in error(f"{line} {wider}")
    shorter = "--sequence-length 30"  # the oracle writes 30 integers in another code than 60
    assert "made for the oracle's code of 60 integers, not of 30" in error(f"{line} {shorter}")


# --- A person plays -------------------------------------------------------------------------------------


def person(role, agents, dictionary, answers):
    answers = iter(answers)

    def ask(question):
        answer = next(answers)
        return answer if isinstance(answer, str) else answer.decode()

    return Person(role, agents, dictionary, ask)


def score_of(person, number, seed):
    """Let a person play, show it, and return the score."""
    for report in person.play(number, seed):
        report.show()
    return report.data


def episodes_of_person(config, number, seed):
    return draw_episodes(config, number, np.random.default_rng(random_stream(seed, "person")))


def test_as_receiver(agents, dictionary, capsys):
    episodes = episodes_of_person(agents.config, 3, seed=5)
    right, wrong = episodes.target[0], (episodes.target_index[1] + 1) % 5
    answers = ["99", b"\xff", "what?", "1" * 5000, str(episodes.target_index[0]), str(wrong), "q"]
    score = score_of(person("receiver", agents, dictionary, answers), 3, 5)
    assert score == {"role": "receiver", "played": 2, "won": 1, "agent_won": 2}
    shown = capsys.readouterr().out
    assert shown.count("A choice must be the number of a candidate, 0 to 4; got") == 3
    assert f"Right: the target is {right}, in " in shown
    assert f"Wrong: the target is {episodes.target[1]}" in shown
    assert "The message says: " in shown
    assert shown.endswith("You won 1 of 2; the receiver would have won 2.\n")
    assert max(map(len, shown.splitlines())) <= 80


def test_as_sender_with_what_the_dictionary_suggests(agents, dictionary, capsys):
    first = episodes_of_person(agents.config, 1, seed=6)
    own = agents.sender.send(first.window)[0].tolist()
    score = score_of(person("sender", agents, dictionary, ["1 2", str(own), *"1111"]), 5, 6)
    assert score == {"role": "sender", "played": 5, "won": 5, "agent_won": 5}
    shown = capsys.readouterr().out
    assert "A message must be 3 symbols of 0..25, or the number of a suggestion; got '1 2'" in shown
    assert "Suggestion 1: [" in shown
    assert f"The sender of oracle says {own}; with it" in shown
    assert " ".join(shown.split()).startswith(
        "You are the sender. Underscores stand for the target; you see "
    )
    assert max(map(len, shown.splitlines())) <= 80


# --- Answers --------------------------------------------------------------------------------------------


def test_a_message_is_its_symbols_or_the_number_of_a_suggestion():
    suggestions = [[0, 0, 0], [7, 1, 2]]
    for answer in ("7 1 2", "7,1,2", " [7 1 2]", "2"):
        assert message_of(answer, GameConfig(), suggestions).tolist() == [[7, 1, 2]]
    assert message_of("2", GameConfig(20, message_length=1), [[9], [8]]).tolist() == [[2]]
    for answer in ("", "0", "3", "7 1", "7 1 26", "7 1 2 3", "7 -1 2", "a b c"):
        with pytest.raises(ValueError, match=r"^A message must be 3 symbols of 0..25, or the number"):
            message_of(answer, GameConfig(), suggestions)

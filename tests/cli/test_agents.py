"""Agents of the user's own in commands: which game they play, and whose errors are whose."""

import json

import pytest

from spatial_game.cli import main

MINE = """
class Sender:
    def send(self, window):
        return [[list(range(20))[integer]] * 3 for integer in window[:, 0]]

class Receiver:
    def choose(self, messages, sequence, candidates):
        return [0] * len(messages)

pair = Sender(), Receiver()

class Wrong:
    def send(self, window):
        return [[0, 0, 0]] * len(window)

    def choose(self, messages, sequence, candidates):
        from spatial_agents import load_pair
        return load_pair("paper-20").receiver.choose(messages - 1, sequence, candidates)

class Broken:
    def __init__(self):
        raise KeyError("weights")

class Refusing:
    def __init__(self, game):
        from spatial_agents import load_pair
        self.sender, self.receiver = Sender(), load_pair("nowhere")
"""


@pytest.fixture
def mine(write_module):
    return write_module(MINE)


def test_the_game_that_is_assumed_is_said(mine, capsys):
    line = f"evaluate {mine}:pair --episodes 50"
    said = f"{mine}:pair names no game (config): the paper's full game is assumed, L60 w2 c5 | v26x3"
    assert main(line.split()) == 1
    assert capsys.readouterr().err.startswith(f"spatial-game: note: {said}\n")
    assert main(f"{line} --sequence-length 20 --json".split()) == 0
    given = capsys.readouterr()
    assert given.err == ""
    assert not json.loads(given.out)["pairs"][0]["game_assumed"]
    assert main(["evaluate", "oracle", "--episodes", "50"]) == 0
    assert capsys.readouterr().err == ""


def test_an_error_of_own_agents_names_them_and_the_game_and_shows_their_code_alone(mine, capsys):
    assert main(["evaluate", f"{mine}:pair"]) == 1
    _, first, *trace = capsys.readouterr().err.splitlines()
    assert first == (
        f"spatial-game: error: {mine}:pair failed in the game L60 w2 c5 | v26x3 (assumed): "
        "IndexError: list index out of range"
    )
    assert trace[0] == "Traceback (most recent call last):"
    assert f"{mine}.py" in trace[1]
    assert trace[-1] == "IndexError: list index out of range"
    assert not any("spatial_game" in line or "spatial_agents" in line for line in trace)


def test_what_an_agent_of_this_package_refuses_is_one_line_that_names_the_agents(mine, error):
    said = error(f"evaluate {mine}:Wrong --sequence-length 20")
    assert f"{mine}:Wrong failed in the game L20 w2 c5 | v26x3: messages must be in 0..25; got -1" in said


def test_own_agents_that_cannot_be_made_are_named(mine, write_module, capsys, error):
    assert main(["evaluate", f"{mine}:Broken"]) == 1
    first, *trace = capsys.readouterr().err.splitlines()
    assert first == f"spatial-game: error: {mine}:Broken could not be made: KeyError: 'weights'"
    assert f"{mine}.py" in trace[1]
    not_python = write_module("pair = \n")
    assert main(["evaluate", f"{not_python}:pair"]) == 1
    first, second, *_ = capsys.readouterr().err.splitlines()
    assert first.startswith(f"spatial-game: error: {not_python}:pair could not be made: SyntaxError: ")
    assert second.strip().startswith("File ")
    assert 'got "nowhere"' in error(f"evaluate {mine}:Refusing")  # our own refusal stays one line

"""A person plays: the questions, the answers, the score."""

import io
import sys

import numpy as np
import pytest

from spatial_game.cli import main
from spatial_game.cli.human import play_as
from spatial_game.cli.options import GameOptions
from spatial_game.cli.players import load_players
from spatial_game.cli.terminal import Output
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.recording import record


@pytest.fixture(scope="module")
def players():
    return load_players("oracle", 0, GameOptions(sequence_length=20), 0)


@pytest.fixture(scope="module")
def lexicon(players):
    episodes = draw_episodes(players.config, 20_000, np.random.default_rng(0))
    return Lexicon.from_counts(count(record(players.sender, None, episodes, players.config)), threshold=0.4)


def test_as_receiver(players, lexicon, capsys):
    episodes = draw_episodes(players.config, 3, np.random.default_rng(5))
    right, wrong = episodes.target[0], episodes.candidates[1, (episodes.target_index[1] + 1) % 5]
    answers = iter(["99", "what?", str(right), str(wrong), "q"])
    result = play_as("receiver", players, lexicon, 3, 5, Output(), lambda question: next(answers))
    assert result == {"role": "receiver", "played": 2, "won": 1, "agent_won": 2}
    shown = capsys.readouterr().out
    assert "of target  (NPMI" in shown
    assert f"it was {right}; the receiver chose {right}" in shown


def test_as_sender_with_what_the_dictionary_suggests(players, lexicon, capsys):
    answers = []

    def ask(question):
        shown = capsys.readouterr().out.splitlines()
        if not answers:
            answers.append("1 2")
            return answers[-1]
        if "must be 3 symbols of 0..25; got 1 2." in question:
            answers.append(own)
            return own
        suggestion = next(line for line in shown if line.startswith("    ["))
        return suggestion[suggestion.index("[") + 1 : suggestion.index("]")]

    first = draw_episodes(players.config, 1, np.random.default_rng(6))
    own = " ".join(map(str, players.sender.send(first.window)[0].tolist()))
    result = play_as("sender", players, lexicon, 5, 6, Output(), ask)
    assert result == {"role": "sender", "played": 5, "won": 5, "agent_won": 5}


def test_from_the_command_line(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert main(["play", "--agents", "oracle", "--as", "receiver"]) == 0
    assert "candidates" in capsys.readouterr().out
    assert main(["play", "--agents", "oracle", "--as", "sender", "--json"]) == 1
    assert "json must be left out where a person plays" in capsys.readouterr().err

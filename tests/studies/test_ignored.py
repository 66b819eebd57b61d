"""What receivers ignore: known ones that hear nothing, one slot, or all."""

import numpy as np
import pytest
from known_languages import known_agents, known_language

from spatial_game.config import GameConfig
from spatial_game.game.policies import Agents, RandomReceiver
from spatial_game.studies.ignored import what_it_ignores

CONFIG = GameConfig()


class Hears:
    """A receiver that hears the symbols of some slots, and zeros in the others."""

    def __init__(self, slots):
        self.slots = list(slots)

    def choose(self, messages, sequence, candidates):
        heard = messages[:, self.slots].sum(axis=1, dtype=int)
        return (heard + candidates[:, 0]) % candidates.shape[1]


@pytest.mark.parametrize(
    ("receiver", "ignores"),
    [
        (Hears([]), "messages"),
        (RandomReceiver(CONFIG, np.random.default_rng(0)), "messages"),
        (Hears([0]), "slots 2 and 3"),
        (Hears([0, 1]), "slot 3"),
        (Hears([0, 1, 2]), ""),
    ],
)
def test_what_a_receiver_does_not_hear_is_said(receiver, ignores):
    sender = known_language("compositional", CONFIG, np.random.default_rng(2))
    said = what_it_ignores(Agents(sender, receiver, CONFIG), 3_000)
    assert said.startswith(f"The receiver ignores {ignores}:") if ignores else not said


def test_a_receiver_that_mostly_guesses_hears_messages():
    """It takes the candidate that the message is most probable for in a tenth of the episodes."""
    agents = known_agents(known_language("compositional", CONFIG, np.random.default_rng(2)), by_rule=True)
    rng = np.random.default_rng(0)

    class Guessing:
        def choose(self, messages, sequence, candidates):
            knows = rng.random(len(messages)) < 0.1
            guesses = rng.integers(0, candidates.shape[1], len(messages))
            return np.where(knows, agents.receiver.choose(messages, sequence, candidates), guesses)

    assert not what_it_ignores(Agents(agents.sender, Guessing(), CONFIG), 3_000)


def test_a_receiver_that_knows_the_language_ignores_nothing():
    language = known_language("compositional", CONFIG, np.random.default_rng(2))
    assert not what_it_ignores(known_agents(language, by_rule=True), 1_000)

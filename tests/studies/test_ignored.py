"""What receivers ignore: known ones that hear nothing, one slot, all, or some symbols as one."""

import numpy as np
import pytest
from known_languages import known_agents, known_language

from spatial_game.config import GameConfig
from spatial_game.game.oracle import OracleSender
from spatial_game.game.policies import Agents, RandomReceiver, RandomSender
from spatial_game.studies.ignored import Alike, says_the_same, what_it_ignores

CONFIG = GameConfig()
TEN_SYMBOLS = CONFIG.changed(vocab_size=10, num_distractors=9)


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
    said, _ = what_it_ignores(Agents(sender, receiver, CONFIG), 3_000)
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

    assert not what_it_ignores(Agents(agents.sender, Guessing(), CONFIG), 3_000)[0]


def test_a_receiver_that_knows_the_language_ignores_nothing():
    language = known_language("compositional", CONFIG, np.random.default_rng(2))
    assert not what_it_ignores(known_agents(language, by_rule=True), 1_000)[0]


class HearsAsOne(Hears):
    """A receiver that hears the symbols 2 to 4 of slot 1 as one, and 5 as 6."""

    def choose(self, messages, sequence, candidates):
        heard = np.array(messages)
        heard[(heard[:, 0] == 2) | (heard[:, 0] == 4), 0] = 3
        heard[heard[:, 0] == 5, 0] = 6
        return super().choose(heard, sequence, candidates)


@pytest.mark.parametrize(
    ("receiver", "expected"),
    [
        (HearsAsOne([0, 1, 2]), [Alike(0, (2, 3, 4), 0.0), Alike(0, (5, 6), 0.0)]),
        (HearsAsOne([1, 2]), []),  # slot 1 is ignored as a whole
        (Hears([0, 1, 2]), []),
    ],
)
def test_symbols_that_are_one_to_the_receiver_are_found(receiver, expected):
    sender = RandomSender(TEN_SYMBOLS, np.random.default_rng(2))
    assert what_it_ignores(Agents(sender, receiver, TEN_SYMBOLS), 3_000)[1] == expected


def test_noise_does_not_hide_symbols_that_are_one():
    class Noisy(HearsAsOne):
        def choose(self, messages, sequence, candidates):
            choice = super().choose(messages, sequence, candidates)
            return np.where(rng.random(len(choice)) < 0.05, rng.integers(0, 10, len(choice)), choice)

    rng = np.random.default_rng(3)
    sender = RandomSender(TEN_SYMBOLS, rng)
    _, found = what_it_ignores(Agents(sender, Noisy([0, 1, 2]), TEN_SYMBOLS), 3_000)
    assert [each.symbols for each in found] == [(2, 3, 4), (5, 6)]


def test_a_sender_that_draws_at_random_does_not_say_the_same_again():
    language = known_language("compositional", CONFIG, np.random.default_rng(2))
    for sender, same in (
        (OracleSender(CONFIG), True),
        (RandomSender(CONFIG, np.random.default_rng(0)), False),
    ):
        assert says_the_same(Agents(sender, language, CONFIG), 500) == same

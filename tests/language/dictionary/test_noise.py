"""Misspellings, against a slow twin."""

import itertools

import numpy as np
import pytest
from scipy import stats

from spatial_game.language.dictionary.noise import MOST_ERRORS, TIMES, TOO_OFTEN, spelling


def slow_spelling(messages, n, vocab_size):
    """Return which messages are misspellings, and the share of episodes that noise moved among words."""
    rows, length = range(len(messages)), messages.shape[1]
    distance = [[sum(a != b for a, b in zip(x, y, strict=True)) for y in messages] for x in messages]
    most = min(MOST_ERRORS, length)
    around = [[sum(n[k] for k in rows if distance[m][k] == d) for m in rows] for d in range(1, most + 1)]
    pairs = ((m, k) for m in rows for k in rows if 1 <= distance[m][k] <= most)
    wrong = {m for m, k in pairs if n[k] >= TIMES ** distance[m][k] * n[m]}
    each = TOO_OFTEN / max(len(wrong), 1)
    every = list(itertools.product(range(vocab_size), repeat=length))
    while True:
        possible = length * (vocab_size - 1) * n.sum() - sum(around[0][m] for m in rows if m not in wrong)
        rate = sum(n[m] for m in wrong) / max(possible, 1)

        def by_noise(sent, rate=rate):
            far = [sum(a != b for a, b in zip(sent, other, strict=True)) for other in messages]
            return sum(n[k] * rate ** far[k] for k in rows if 1 <= far[k] <= most)

        expected = [by_noise(m) for m in messages]
        words = {tuple(messages[m].tolist()) for m in rows if m not in wrong}
        together = set()
        for slot, symbol in itertools.product(range(length), range(vocab_size)):
            rare = sum(n[m] for m in wrong if messages[m][slot] == symbol)
            noise = sum(by_noise(m) for m in every if m[slot] == symbol and m not in words)
            if stats.poisson.sf(rare - 1, noise) < TOO_OFTEN / (length * vocab_size):
                together |= {m for m in rows if messages[m][slot] == symbol}
        chance = {m: stats.poisson.sf(n[m] - 1, expected[m]) for m in wrong}
        often = {m for m in wrong if chance[m] < (TOO_OFTEN if m in together else each)}
        if not often:
            break
        wrong -= often
    moved = sum(
        rate * n[k] for m in rows for k in rows if distance[m][k] == 1 and m not in wrong and k not in wrong
    )
    moved *= not wrong & together
    return [m in wrong for m in rows], moved / n.sum()


def test_misspelled_messages_are_those_of_the_slow_twin():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(8):
        messages = np.unique(rng.integers(0, 4, (30, 3)), axis=0)
        n = np.where(rng.random(len(messages)) < 0.2, rng.integers(500, 2000, len(messages)), 1)
        n = (n + rng.poisson(8, len(messages))).astype(float)
        found.append(spelling(messages, n, 4))
        wrong, moved = slow_spelling(messages, n, 4)
        assert found[-1].wrong.tolist() == wrong
        assert found[-1].moved == pytest.approx(moved)
    assert 0 < np.concatenate([each.wrong for each in found]).mean() < 1
    assert sum(each.moved for each in found) > 0


def test_words_with_a_free_symbol_are_not_taken_for_noise():
    """Words of one symbol, followed by anything, beside frequent words that differ from them in it."""
    frequent = [(first, second, 0) for first in range(4) for second in range(8)]
    free = [(first, second, third) for first in (6, 7) for second in range(8) for third in range(8)]
    messages, n = np.array(frequent + free), np.array([300.0] * len(frequent) + [6.0] * len(free))
    wrong = messages[spelling(messages, n, 8).wrong]
    assert (wrong[:, 2] == 0).all()  # noise may have made those of a frequent word
    assert len(wrong) <= 16


def test_noise_around_frequent_words_is_taken_for_noise():
    rng = np.random.default_rng(0)
    words = rng.permutation(list(itertools.product(range(8), repeat=3)))[:20]
    sent = np.repeat(words, 2000, axis=0)
    heard = np.where(rng.random(sent.shape) < 0.05, rng.integers(0, 8, sent.shape), sent)
    messages, n = np.unique(heard, axis=0, return_counts=True)
    found = spelling(messages, n.astype(float), 8)
    spoken = (messages[:, None] == words).all(axis=2).any(axis=1)
    assert (found.wrong == ~spoken).mean() > 0.98
    meant = (sent != heard).any(axis=1) & (heard[:, None] == words).all(axis=2).any(axis=1)
    assert found.moved == pytest.approx(meant.mean(), rel=0.3)


def test_a_message_that_noise_cannot_send_so_often_is_a_word():
    # One message around (0, 0, 0) is sent 40 times, where noise sends the others twice.
    near = [[s if slot == i else 0 for i in range(3)] for slot in range(3) for s in range(1, 26)]
    messages = np.array([[0, 0, 0], *near])
    n = np.array([1000, 40, *[2] * 74])
    wrong = spelling(messages, n.astype(float), 26).wrong
    assert np.flatnonzero(~wrong).tolist() == [0, 1]

"""Agreement of senders and its tree, against slow twins."""

import itertools

import numpy as np
import pytest

from spatial_game.language.film.dialects import Branch, agreement, leaves, tree


def slow_agreement(messages):
    senders, frames, windows, _ = messages.shape
    same = np.zeros((frames, senders, senders))
    for frame, one, other in itertools.product(range(frames), range(senders), range(senders)):
        equal = [
            messages[one, frame, row].tolist() == messages[other, frame, row].tolist()
            for row in range(windows)
        ]
        same[frame, one, other] = sum(equal) / windows
    return same


def slow_tree(same):
    """Join the two groups whose members agree most on average, again and again."""
    groups, branches = {i: [i] for i in range(len(same))}, []
    while len(groups) > 1:
        means = {
            (a, b): np.mean([same[i, j] for i in groups[a] for j in groups[b]])
            for a, b in itertools.combinations(sorted(groups), 2)
        }
        a, b = max(means, key=means.get)
        branches.append((a, b, means[a, b]))
        groups[len(same) + len(branches) - 1] = groups.pop(a) + groups.pop(b)
    return branches


def test_agreement_is_that_of_the_slow_twin():
    messages = np.random.default_rng(0).integers(0, 2, (4, 3, 50, 2))
    np.testing.assert_allclose(agreement(messages), slow_agreement(messages))


@pytest.mark.parametrize("senders", [2, 3, 6])
def test_trees_are_those_of_the_slow_twin(senders):
    above = np.triu(np.random.default_rng(senders).random((senders, senders)), 1)
    same = above + above.T + np.eye(senders)
    found, expected = tree(same), slow_tree(same)
    assert [branch[:2] for branch in found] == [branch[:2] for branch in expected]
    assert [branch.agreement for branch in found] == pytest.approx([branch[2] for branch in expected])


def test_two_dialects_are_two_branches():
    same = np.full((4, 4), 0.1)
    same[:2, :2], same[2:, 2:] = 0.8, 0.9
    np.fill_diagonal(same, 1)
    *within, between = tree(same)
    assert sorted(branch[:2] for branch in within) == [(0, 1), (2, 3)]
    assert between.agreement == pytest.approx(0.1)
    assert leaves(tree(same), 4) in ([0, 1, 2, 3], [2, 3, 0, 1])


def test_one_sender_has_no_tree():
    assert tree(np.ones((1, 1))) == ()
    assert leaves((), 1) == [0]


def test_leaves_of_nested_branches():
    assert leaves((Branch(1, 3, 0.9), Branch(0, 4, 0.5), Branch(2, 5, 0.1)), 4) == [2, 0, 1, 3]

"""Accuracy, and the random streams that episodes are drawn from."""

import numpy as np
import pytest

from spatial_game import Agents, GameConfig, OracleSender, draw_episodes
from spatial_game.game.evaluation import evaluate_agents, won_by
from spatial_game.game.policies import scripted_agents
from spatial_game.game.seeds import random_stream


def test_counts_agree_with_a_loop_over_episodes():
    config = GameConfig(8, window_radius=1)

    class Stubborn:  # always the first candidate
        def choose(self, messages, sequence, candidates):
            return np.zeros(len(candidates), np.int16)

    result = evaluate_agents(Agents(OracleSender(config), Stubborn(), config), 500, np.random.default_rng(4))
    drawn = draw_episodes(config, 500, np.random.default_rng(4))
    won = {name: [] for name in config.edges}
    for column, index in zip(drawn.mask_column, drawn.target_index, strict=True):
        won[config.edges[column]].append(index == 0)
    counted = {name: (part.num_correct, part.trials) for name, part in result.by_edge.items()}
    assert counted == {name: (sum(rows), len(rows)) for name, rows in won.items()}
    assert result.num_episodes == 500
    assert result.distinct_messages == len(np.unique(OracleSender(config).send(drawn.window), axis=0))
    assert result.seed is None  # it was not asked for one
    assert result.to_dict()["chance"] == 0.2


def test_agents_play_their_game_but_not_no_episodes():
    assert evaluate_agents(scripted_agents("random", GameConfig(20)), 100).accuracy < 0.5
    assert type(evaluate_agents(scripted_agents("oracle", GameConfig(20)), 1, np.int64(3)).seed) is int
    with pytest.raises(ValueError, match="num_episodes must be at least 1; got 0"):
        evaluate_agents(scripted_agents("oracle", GameConfig(20)), 0)


def test_without_messages_a_receiver_is_not_asked():
    config = GameConfig(8)
    none = draw_episodes(config, 0, np.random.default_rng(0))
    no_receiver = object()
    assert won_by(no_receiver, np.empty((0, config.message_length), np.int16), none).shape == (0,)


def test_streams_are_repeatable_and_apart_from_each_other_and_from_spawned_ones():
    root = np.random.SeedSequence(5)
    streams = [
        random_stream(5, "weights"),
        random_stream(5, "noise"),
        random_stream(5, "noise", 1),
        random_stream(6, "noise"),
    ]
    states = [tuple(each.generate_state(4)) for each in [*streams, root, *root.spawn(10)]]
    assert len(set(states)) == len(states)
    assert tuple(random_stream(5, "weights").generate_state(4)) == states[0]
    with pytest.raises(ValueError, match="seed must be at least 0; got -1"):
        random_stream(-1, "evaluation")

"""The baselines learn, their networks see what they should, and their curves can be made again."""

import csv
import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from learners import joint
from learners.curves import Progress, trace
from learners.networks import SurroundingsReceiver, WindowSender, new_surroundings_pair

from spatial_agents.networks.symbols import greedy
from spatial_agents.recipes import AgentConfig
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import OracleReceiver, OracleSender, RandomReceiver
from spatial_game.game.rules import receiver_view, sender_view

ppo = pytest.importorskip("learners.ppo", reason="needs Stable-Baselines3")

SMALL = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=8, message_length=2)
CONFIGS = [SMALL, GameConfig(7, num_integers=11, window_radius=2, vocab_size=5), GameConfig(20)]
QUICK = {"num_envs": 64, "rollout": 8, "batch_size": 128, "points": 4}


def last_accuracy(training, config=SMALL, seed=0):
    *_, last = trace(training, config, seed, num_episodes=1000)
    return last.accuracy


def episodes_of(config, num_episodes=50):
    return draw_episodes(config, num_episodes, np.random.default_rng(5))


def tensors(*arrays):
    return [torch.from_numpy(array.astype(np.int64)) for array in arrays]


# ----------------------------------------------------------------------------------------------- networks


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.signature)
def test_the_receiver_sees_the_cells_around_each_candidate(config):
    episodes = episodes_of(config)
    receiver = SurroundingsReceiver(config, 4, 8)
    seen = receiver.surroundings(*tensors(episodes.sequence, episodes.candidates)).tolist()
    for row, sequence in enumerate(episodes.sequence.tolist()):
        for column, candidate in enumerate(episodes.candidates[row].tolist()):
            place = sequence.index(candidate)
            around = [place + offset for offset in config.offsets]
            expected = [sequence[i] if 0 <= i < len(sequence) else len(config.integers) for i in around]
            assert seen[row][column] == expected


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.signature)
def test_every_cell_of_the_window_has_a_row_of_its_own(config):
    episodes = episodes_of(config)
    sender = WindowSender(config, 1, 8)
    rows = sender.cells.table.weight
    torch.nn.init.zeros_(rows)
    with torch.no_grad():
        rows[:, 0] = torch.arange(len(rows))
    (window,) = tensors(episodes.window)
    seen = sender.cells(window + 1)
    expected = [[column * (len(config.integers) + 1) + n + 1 for column, n in enumerate(w)] for w in window]
    assert seen.tolist() == torch.tensor(expected).tolist()


def test_moving_a_candidate_moves_its_score():
    episodes = episodes_of(SMALL)
    pair = new_surroundings_pair(SMALL, AgentConfig(hidden_size=8, embedding_size=4), seed=1)
    window, sequence, candidates = tensors(episodes.window, episodes.sequence, episodes.candidates)
    message = pair.sender(window, greedy)
    scores = pair.receiver(message, sequence, candidates)
    torch.testing.assert_close(pair.receiver(message, sequence, candidates.flip(1)), scores.flip(1))
    assert message.shape == (50, 2, 8)


def test_networks_come_from_their_seed_alone():
    state = torch.get_rng_state()
    agent = AgentConfig(hidden_size=8, embedding_size=4)
    first, same, other = (new_surroundings_pair(SMALL, agent, seed).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(first[name], same[name]) for name in first)
    assert not any(torch.equal(first[name], other[name]) for name in first)
    assert torch.equal(torch.get_rng_state(), state)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.signature)
def test_ppo_reads_flat_observations_as_the_networks_read_fields(config):
    episodes = episodes_of(config)
    messages = np.random.default_rng(1).integers(0, config.vocab_size, (50, config.message_length))
    settings = ppo.PPOSettings(hidden_size=8, embedding_size=4)
    receiver = ppo.ReceiverLogits(config, settings)
    one_hot = torch.nn.functional.one_hot(torch.from_numpy(messages), config.vocab_size).float()
    expected = receiver.network(one_hot, *tensors(episodes.sequence, episodes.candidates))
    torch.testing.assert_close(receiver(torch.from_numpy(receiver_view(episodes, messages))), expected)
    sender = ppo.SenderLogits(config, settings)
    logits = sender(torch.from_numpy(sender_view(episodes)))
    said = logits.view(50, config.message_length, config.vocab_size).argmax(dim=2)
    assert torch.equal(said, sender.network(*tensors(episodes.window), greedy).argmax(dim=2))


# ------------------------------------------------------------------------------------------------ learning


@pytest.mark.parametrize(
    ("train", "settings", "above"),
    [
        (joint.train_gumbel, joint.PairSettings(episodes=20_000, points=2), 0.7),
        (joint.train_reinforce, joint.PairSettings(episodes=40_000, points=2), 0.6),
        (ppo.train_receiver, ppo.PPOSettings(episodes=4_096, points=2), 0.9),
        (ppo.train_pair, ppo.PPOSettings(episodes=20_480, points=2), 0.6),
    ],
    ids=["gumbel", "reinforce", "ppo-receiver", "ppo-pair"],
)
def test_it_learns_the_small_game(train, settings, above):
    assert last_accuracy(train(SMALL, settings, 0)) > above


def test_a_ppo_sender_learns_to_speak_to_its_receiver():
    settings = ppo.PPOSettings(episodes=5_120, points=2)
    assert last_accuracy(ppo.train_sender(SMALL, settings, 0)) > 0.6
    longer = ppo.PPOSettings(episodes=20_480, points=2)  # the oracle is strict: most messages say nothing
    assert last_accuracy(ppo.train_sender(SMALL, longer, 0, OracleReceiver(SMALL))) > 0.5


def test_nothing_is_learned_from_a_receiver_that_does_not_listen():
    deaf = RandomReceiver(SMALL, np.random.default_rng(0))
    settings = ppo.PPOSettings(episodes=2_048, **QUICK)
    assert last_accuracy(ppo.train_sender(SMALL, settings, 0, deaf)) == pytest.approx(1 / 3, abs=0.06)


@pytest.mark.parametrize(
    ("train", "settings"),
    [
        (joint.train_gumbel, joint.PairSettings(episodes=1_024, points=4)),
        (joint.train_reinforce, joint.PairSettings(episodes=1_024, points=4, networks="reference")),
        (ppo.train_pair, ppo.PPOSettings(episodes=2_048, **{**QUICK, "num_envs": 32})),
        (ppo.train_receiver, ppo.PPOSettings(episodes=2_048, **{**QUICK, "networks": "mlp"})),
    ],
    ids=["gumbel", "reinforce-reference", "ppo-pair", "ppo-mlp"],
)
def test_a_seed_gives_the_same_curve_again(train, settings):
    def curve(seed):
        points = list(trace(train(SMALL, settings, seed), SMALL, seed, num_episodes=500))
        return [(point.episodes, point.accuracy) for point in points]

    first = curve(1)
    assert first == curve(1) != curve(2)
    assert [episodes for episodes, _ in first] == [settings.episodes * part // 4 for part in range(5)]


def test_ppo_does_not_discount_and_ends_with_rate_and_bonus_at_nothing():
    settings = ppo.PPOSettings(episodes=2_048, **QUICK)
    learner = ppo.Learner("receiver", SMALL, OracleSender(SMALL), settings, seed=0)
    assert (learner.model.gamma, learner.model.gae_lambda) == (1.0, 1.0)
    for remaining in (1.0, 0.25):
        learner.update(remaining)
        assert learner.model.ent_coef == settings.entropy_bonus * remaining
        assert learner.model.policy.optimizer.param_groups[0]["lr"] == settings.learning_rate * remaining


# -------------------------------------------------------------------------------------------------- curves


def test_a_curve_tests_all_points_on_the_same_episodes():
    class Recorder(OracleSender):
        def send(self, window):
            windows.append(window)
            return super().send(window)

    windows = []
    sender = Recorder(SMALL)
    training = iter([Progress(n, sender, OracleReceiver(SMALL)) for n in (0, 10, 20)])
    points = list(trace(training, SMALL, 3, num_episodes=100))
    assert [(point.episodes, point.accuracy) for point in points] == [(0, 1.0), (10, 1.0), (20, 1.0)]
    assert points[0].seconds == 0
    assert all(np.array_equal(window, windows[0]) for window in windows)


def experiment(name, monkeypatch):
    """The module of an experiment."""
    pytest.importorskip("matplotlib").use("agg")
    path = Path(__file__).parents[2] / "experiments" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"{name}_script", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(__import__("sys").modules, f"{name}_script", module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def script(monkeypatch):
    """`experiments/baselines.py`, with one short baseline of each kind."""
    module = experiment("baselines", monkeypatch)
    for name in ("gumbel", "ppo-receiver"):
        monkeypatch.setitem(module.BASELINES[name].episodes, "small", 1_024)
    return module


def test_the_script_keeps_what_it_has_trained(script, tmp_path, monkeypatch):
    words = ["baselines", "--games", "small", "--baselines", "gumbel", "ppo-receiver", "--out"]
    for seeds in ("1", "2"):
        monkeypatch.setattr("sys.argv", [*words, str(tmp_path), "--seeds", seeds])
        before = (tmp_path / "curves.csv").read_text() if seeds == "2" else ""
        script.main()
        after = (tmp_path / "curves.csv").read_text()
        assert set(before.splitlines()) <= set(after.splitlines())
    rows = list(csv.DictReader(after.splitlines()))
    assert {(row["baseline"], row["seed"]) for row in rows} == {
        (name, seed) for name in ("gumbel", "ppo-receiver") for seed in "01"
    }
    described = json.loads((tmp_path / "settings.json").read_text())["games"]["small"]
    assert described["baselines"]["gumbel"]["seeds"] == [0, 1]
    assert described["baselines"]["gumbel"]["settings"]["episodes"] == 1_024
    assert GameConfig.from_dict(described["config"]) == SMALL
    assert (tmp_path / "small.png").read_bytes().startswith(b"\x89PNG")
    assert script.read_curves(tmp_path / "curves.csv").keys() == {
        ("small", name, seed) for name in ("gumbel", "ppo-receiver") for seed in (0, 1)
    }


def test_a_curve_of_the_default_game_continues_where_it_stopped(tmp_path, monkeypatch):
    script = experiment("default_game", monkeypatch)
    monkeypatch.setattr(script, "GAME", SMALL)
    monkeypatch.setattr(script, "FRESH", 64)
    curves = ("receiver", "sender-trained")
    words = ["default_game", "--seeds", "0", "--out", str(tmp_path), "--state", str(tmp_path / "state")]
    rows = []
    for minutes in ("0.001", "0.001", "0.004"):
        monkeypatch.setattr("sys.argv", [*words, "--minutes", minutes, "--curves", *curves])
        script.main()
        rows.append(script.read(tmp_path / "default.csv"))
    assert rows[0] == rows[1] == rows[2][: len(rows[0])]  # the budget of the second time is spent
    for curve in curves:
        points = [(int(row["episodes"]), float(row["seconds"])) for row in rows[2] if row["curve"] == curve]
        assert points == sorted(set(points))
        assert points[0] == (0, 0)
        assert points[-1][1] >= 0.24
    monkeypatch.setattr("sys.argv", [*words, "--draw"])
    script.main()
    assert (tmp_path / "default.png").read_bytes().startswith(b"\x89PNG")

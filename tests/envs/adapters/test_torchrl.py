"""TorchRL: its own checks, resets of some games, misuse. (Parity: tests/envs/test_parity.py.)"""

import numpy as np
import pytest
from helpers.sizes import SMALL

pytest.importorskip("torchrl")

import torch
from torchrl.envs.utils import check_env_specs

from spatial_game import GameConfig, draw_episodes
from spatial_game.envs.adapters.torchrl import ReferentialEnv
from spatial_game.game.rules import SENDER

DEVICES = [
    "cpu",
    pytest.param(
        "cuda",
        marks=[
            pytest.mark.gpu,
            pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device"),
        ],
    ),
]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("symbol_per_turn", [False, True])
@pytest.mark.parametrize("return_state", [False, True])
@pytest.mark.parametrize("observations", ["flat", "dict", "one_hot", "equal"])
def test_torchrl_accepts_it(device, symbol_per_turn, return_state, observations):
    if observations == "equal" and not symbol_per_turn:
        pytest.skip("equal spaces need one symbol per turn")
    kind = {"return_state": return_state, "observations": observations, **SMALL}
    env = ReferentialEnv(3, symbol_per_turn=symbol_per_turn, device=device, **kind)
    check_env_specs(env, break_when_any_done="both")
    played = env.rollout(12, break_when_any_done=False)
    length = 4 if symbol_per_turn else 2
    assert played["next", "done"][0, :, 0].nonzero()[:, 0].tolist() == list(range(length - 1, 12, length))
    assert played.device == torch.device(device) or played.device.type == device


def test_masks_say_whose_turn_it_is():
    env = ReferentialEnv(2, symbol_per_turn=True, **SMALL)
    played = env.rollout(4)
    assert played["sender_0", "mask"][0, :, 0].tolist() == [True, True, True, False]
    assert played["receiver_0", "mask"][0, :, 0].tolist() == [False, False, False, True]
    assert played["receiver_0", "action_mask"][0, :, 0].sum(1).tolist() == [1, 1, 1, 3]


def test_random_messages_are_uniform():
    spec = ReferentialEnv(500, **SMALL).full_action_spec["sender_0", "action"]
    torch.manual_seed(0)
    drawn = spec.rand()
    assert spec.is_in(drawn)
    counts = torch.stack([torch.bincount(drawn[:, 0, slot], minlength=7) for slot in range(3)])
    assert counts.min() > 40  # of 71 expected
    assert spec.clone().rand((2,)).shape == (2, 500, 1, 3)


def test_some_games_can_be_reset():
    env = ReferentialEnv(3, **SMALL)
    env.set_seed(4)
    now = env.reset()
    alone = draw_episodes(GameConfig(**SMALL), 2, np.random.default_rng(5))
    now["_reset"] = torch.tensor([[False], [True], [False]])
    after = env.reset(now)
    np.testing.assert_array_equal(after["sender_0", "observation"][1, 0], alone.window[1])
    np.testing.assert_array_equal(
        after["sender_0", "observation"][[0, 2]], now["sender_0", "observation"][[0, 2]]
    )


@pytest.mark.parametrize("messages", [torch.full((2, 1, 3), 7), torch.zeros(2, 1, 3), None], ids=str)
def test_wrong_actions_and_steps_outside_an_episode_are_refused(messages):
    env = ReferentialEnv(2, **SMALL)
    actions = env.full_action_spec.rand()
    with pytest.raises(RuntimeError, match="there is no episode yet"):
        env.step(actions)
    now = env.reset()
    wrong = now.clone().update(actions)
    if messages is None:
        del wrong["sender_0", "action"]
    else:
        wrong["sender_0", "action"] = messages
    with pytest.raises((TypeError, ValueError), match=r"messages must|must hold \(\"sender_0\""):
        env.step(wrong)
    for _ in range(2):
        now = env.step(now.update(actions))["next"]
    with pytest.raises(RuntimeError, match="is over"):
        env.step(now.update(actions))


def test_a_sampler_draws_the_episodes():
    given = draw_episodes(GameConfig(), 4, np.random.default_rng(0))
    env = ReferentialEnv(4, sampler=lambda n, rng: given[:n])
    seen = env.reset()[SENDER, "observation"][:, 0]
    np.testing.assert_array_equal(seen, given.window)

"""AgileRL: what its vectorised environment takes, and every misuse. (Parity: tests/test_parity.py.)"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("agilerl")

from spatial_game.envs.adapters.agilerl import ReferentialVecEnv

SMALL: dict[str, int] = {"sequence_length": 9, "num_distractors": 2, "vocab_size": 7}
MESSAGES = np.zeros((2, 3), int)
ACTIONS = {"sender_0": MESSAGES, "receiver_0": np.zeros(2, int)}


def test_actions_may_be_floats_and_columns() -> None:
    env = ReferentialVecEnv(2, **SMALL)
    env.reset(seed=0)
    env.step({"sender_0": MESSAGES + 2.0, "receiver_0": np.zeros((2, 1))})
    assert env.turns.messages.tolist() == [[2, 2, 2]] * 2
    _, _, over, _, infos = env.step({"sender_0": MESSAGES, "receiver_0": np.ones((2, 1))})
    assert over["sender_0"].all()
    assert set(infos["sender_0"]) == {"final_obs", "_final_obs"}


@pytest.mark.parametrize(
    ("messages", "error", "fault"),
    [
        (MESSAGES + 7, ValueError, r"messages must be in 0\.\.6; got 7"),
        (MESSAGES - 1, ValueError, r"messages must be in 0\.\.6; got -1"),
        (MESSAGES + 0.5, TypeError, "messages must be integers; got dtype float64"),
        (MESSAGES[:1], ValueError, r"messages must have shape \(2, 3\); got \(1, 3\)"),
        (None, TypeError, "messages must be integers; got"),
    ],
)
def test_wrong_actions_are_refused(messages: Any, error: type[Exception], fault: str) -> None:
    env = ReferentialVecEnv(2, **SMALL)
    with pytest.raises(RuntimeError, match=r"there is no episode yet: call reset\(\) first"):
        env.step(ACTIONS)
    env.reset(seed=0)
    with pytest.raises(error, match=fault):
        env.step({**ACTIONS, "sender_0": messages})
    with pytest.raises(TypeError, match="actions must be a dict of sender_0 and receiver_0; got NoneType"):
        env.step(None)  # type: ignore[arg-type]


def test_wrong_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="num_envs must be at least 1; got 0"):
        ReferentialVecEnv(0, **SMALL)
    with pytest.raises(ValueError, match=r"seed must be a whole number of at least 0; got 1\.5"):
        ReferentialVecEnv(2, **SMALL).reset(seed=1.5)

"""What needs more memory than is free is refused in one line, before it is gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import spatial_game
from spatial_game import memory
from spatial_game.config import GameConfig
from spatial_game.envs.roles import ReceiverVectorEnv, SenderSymbolVectorEnv
from spatial_game.envs.vector import ParallelVectorEnv
from spatial_game.errors import UserError
from spatial_game.game.episodes import draw_episodes
from spatial_game.memory import UNCHECKED, free_bytes, require_memory
from spatial_game.recording import record, stream

CONFIG, RNG = GameConfig(), np.random.default_rng(0)


@pytest.mark.parametrize("number", [2**31, 2**63, 10**30])
@pytest.mark.parametrize(
    ("field", "make"),
    [
        ("num_envs", ParallelVectorEnv),
        ("num_envs", ReceiverVectorEnv),
        ("num_envs", SenderSymbolVectorEnv),
        ("num_envs", lambda number: gym.make_vec("spatial_game/Receiver-v0", num_envs=number)),
        ("num_episodes", lambda number: draw_episodes(CONFIG, number, RNG)),
    ],
)
def test_no_machine_has_the_memory_for_this(field: str, make: Callable[[int], Any], number: int) -> None:
    with pytest.raises(UserError, match=rf"^{field} must fit into the free .* GiB; got {number}, .*: .+"):
        make(number)


@pytest.mark.parametrize("number", [2**31, 2**63])
def test_a_large_batch_size_is_the_whole_recording(tmp_path: Any, number: int) -> None:
    episodes = draw_episodes(CONFIG, 10, RNG)
    recording = record(spatial_game.OracleSender(CONFIG), None, episodes)
    recording.write(tmp_path / "a.parquet")
    assert [len(block) for block in stream(tmp_path / "a.parquet", batch_size=number)] == [10]
    assert [len(block) for block in recording.blocks(batch_size=number)] == [10]


def test_any_seed_is_a_seed() -> None:
    first, second = (ParallelVectorEnv(2) for _ in range(2))
    first.reset(seed=2**63)
    second.reset(seed=[2**63, 2**63 + 1])
    np.testing.assert_array_equal(first.game.episodes.sequence, second.game.episodes.sequence)


def test_the_least_of_what_the_system_allows_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / "memory.max").write_text(f"{2**32}\n")
    (tmp_path / "memory.stat").write_text(f"anon {2**31}\nfile 7\n")
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    assert free_bytes() <= 2**31
    (tmp_path / "memory.max").write_text("max\n")
    assert free_bytes() > 0
    monkeypatch.setattr(memory, "free_bytes", lambda: 2**30)
    require_memory("n", 1, 2**30, "less")
    with pytest.raises(
        UserError, match=r"^n must fit into the free memory of 1.0 GiB; got 9, which needs 2 G"
    ):
        require_memory("n", 9, 2**31, "less")
    monkeypatch.setattr(memory, "free_bytes", lambda: pytest.fail("small values do not ask the system"))
    require_memory("n", 1, UNCHECKED, "less")

"""The referential game with one symbol per turn: the sender acts once for each symbol of its message.

    from spatial_game import referential_symbol_v0

    env = referential_symbol_v0.env(message_length=2)

It is like `referential_v0`, but every action is `Discrete`, and the sender also observes the symbols that it
has sent.

| Agent | Action | Observation, float32 that hold exact integers |
|---|---|---|
| `sender_0` | `Discrete(vocab_size)`, the next symbol | the window, -1 at the target, and its own message, -1 in the slots not sent yet (W+T,) |
| `receiver_0` | `Discrete(num_distractors + 1)`, the choice | message, sequence and candidates (T+L+C,) |
"""  # noqa: E501

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from spatial_game import referential_v0


def env(**kwargs: Any) -> AECEnv[str, Any, Any]:
    """The AEC environment in PettingZoo's `OrderEnforcingWrapper`; `raw_env` itself checks the actions."""
    return referential_v0.OrderEnforcing(raw_env(**kwargs))


class raw_env(referential_v0.raw_env):
    """The AEC environment without wrappers, one symbol per turn."""

    metadata = referential_v0.raw_env.metadata | {"name": "referential_symbol_v0"}
    symbol_per_turn = True


class parallel_env(referential_v0.parallel_env):
    """The parallel environment, one symbol per turn."""

    metadata = referential_v0.raw_env.metadata | {"name": "referential_symbol_v0"}
    symbol_per_turn = True

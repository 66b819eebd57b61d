"""The spatial referential game: environment, recordings and the analysis of the language in them.

Importing this package registers its environments, and loads little else. Recordings, which need the extra
[analysis], and what loads agents are imported when one of their names is first used.
"""

import importlib
from typing import TYPE_CHECKING, Any

import gymnasium

try:
    import pettingzoo
except FileNotFoundError:  # it asks for the current folder, which was removed: the command line says so
    pettingzoo = None

from spatial_game.config import GAMES, LONGEST_MESSAGE, GameConfig
from spatial_game.errors import UserError
from spatial_game.game.episodes import HIDDEN, MASK, Episodes, draw_batches, draw_episodes
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.game.policies import Agents, RandomReceiver, RandomSender, Receiver, Sender
from spatial_game.game.rules import play

if TYPE_CHECKING:
    from spatial_game.agents import evaluate, load_agents
    from spatial_game.game.evaluation import Evaluation
    from spatial_game.proportions import Proportion
    from spatial_game.recording import Recording, RecordingError, RecordingWriter, read_recording, record

__version__ = "1.0.0"

__all__ = [
    "HIDDEN",
    "MASK",
    "Agents",
    "Episodes",
    "Evaluation",
    "GameConfig",
    "OracleReceiver",
    "OracleSender",
    "Proportion",
    "RandomReceiver",
    "RandomSender",
    "Receiver",
    "Recording",
    "RecordingError",
    "RecordingWriter",
    "Sender",
    "UserError",
    "__version__",
    "draw_batches",
    "draw_episodes",
    "evaluate",
    "load_agents",
    "play",
    "read_recording",
    "record",
]


_LATER = {
    "Evaluation": "game.evaluation",
    "Proportion": "proportions",
    "evaluate": "agents",
    "load_agents": "agents",
}
"""The modules of names that are imported when they are first used, beside those of recordings."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_LATER.get(name, 'recording')}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _register_environments() -> None:
    """Enter the environments in the registries of Gymnasium and, since its version 1.27, PettingZoo.

    Besides the full game, each environment has ids for those of `GAMES`, for programs that only take an id.
    The tiny one shows its observations as ones and zeros, with which networks without features learn it, too.
    """
    # One more step than an episode can take, so the time limit never cuts an episode.
    most_steps = {"Sender": 2, "SenderSymbol": LONGEST_MESSAGE + 1, "Receiver": 2}
    sizes: dict[str, dict[str, Any]] = {"": {}, **{f"-{name}": {"game": name} for name in GAMES}}
    sizes["-tiny"]["observations"] = "one_hot"
    for size, game in sizes.items():
        for role, steps in most_steps.items():
            gymnasium.register(
                f"spatial_game/{role}{size}-v0",
                entry_point=f"spatial_game.envs.roles:{role}Env",
                vector_entry_point=f"spatial_game.envs.roles:{role}VectorEnv",
                max_episode_steps=steps,
                kwargs=game,
            )
        gymnasium.register(
            f"spatial_game/Both{size}-v0",
            entry_point="spatial_game.referential_symbol_v0:BothEnv",
            disable_env_checker=True,  # it knows no rewards that are tuples
            kwargs=game,
        )
        if hasattr(pettingzoo, "register"):
            for name in ("referential", "referential_symbol"):
                for kind, maker in (("aec", "env"), ("parallel", "parallel_env")):
                    entry_point = f"spatial_game.{name}_v0:{maker}"
                    pettingzoo.register(kind, f"spatial_game/{name}{size}-v0", entry_point, kwargs=game)


_register_environments()

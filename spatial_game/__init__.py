"""The spatial referential game: environment, recordings and the analysis of the language in them.

Importing this package registers its environments, and loads little else. A module is loaded when one of its
names below is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spatial_game.config import GameConfig
    from spatial_game.game.episodes import HIDDEN, MASK, Episodes, draw_batches, draw_episodes
    from spatial_game.game.policies import (
        OracleReceiver,
        OracleSender,
        RandomReceiver,
        RandomSender,
        Receiver,
        Sender,
    )
    from spatial_game.game.rules import play
    from spatial_game.recording import Recording, RecordingError, RecordingWriter, read_recording, record

__version__ = "0.1.0"

_MODULE_OF = {
    "GameConfig": "config",
    "HIDDEN": "game.episodes",
    "MASK": "game.episodes",
    "Episodes": "game.episodes",
    "draw_batches": "game.episodes",
    "draw_episodes": "game.episodes",
    "play": "game.rules",
    "OracleReceiver": "game.policies",
    "OracleSender": "game.policies",
    "RandomReceiver": "game.policies",
    "RandomSender": "game.policies",
    "Receiver": "game.policies",
    "Sender": "game.policies",
    "Recording": "recording",
    "RecordingError": "recording",
    "RecordingWriter": "recording",
    "read_recording": "recording",
    "record": "recording",
}
__all__ = [
    "HIDDEN",
    "MASK",
    "Episodes",
    "GameConfig",
    "OracleReceiver",
    "OracleSender",
    "RandomReceiver",
    "RandomSender",
    "Receiver",
    "Recording",
    "RecordingError",
    "RecordingWriter",
    "Sender",
    "__version__",
    "draw_batches",
    "draw_episodes",
    "play",
    "read_recording",
    "record",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return __all__


# Besides the full game, each environment has ids for two smaller ones, for programs that only take an id. The
# tiny one shows its observations as ones and zeros, with which networks without features learn it, too.
_SIZES: dict[str, dict[str, Any]] = {
    "": {},
    "-small": {
        "sequence_length": 8,
        "window_radius": 1,
        "num_distractors": 2,
        "vocab_size": 8,
        "message_length": 2,
    },
    "-tiny": {
        "sequence_length": 4,
        "window_radius": 1,
        "num_distractors": 1,
        "vocab_size": 4,
        "message_length": 2,
        "observations": "one_hot",
    },
}


def _register_environments() -> None:
    """Enter the environments in PettingZoo's registries, where this version of it has them (1.27 does)."""
    try:
        from pettingzoo import aec_registry, parallel_registry, register
    except ImportError:
        return
    makers = {"aec": (aec_registry, "env"), "parallel": (parallel_registry, "parallel_env")}
    for name in ("referential", "referential_symbol"):
        for size, game in _SIZES.items():
            env_id = f"spatial_game/{name}{size}-v0"
            for kind, (registry, maker) in makers.items():
                if env_id not in registry:
                    register(kind, env_id, f"spatial_game.{name}_v0:{maker}", kwargs=game)


def _register_gymnasium() -> None:
    """Enter the environments of one role, and of both for EPyMARL, in Gymnasium's registry."""
    import gymnasium

    from spatial_game.config import LONGEST_MESSAGE

    # One more step than an episode can take, so the time limit never cuts an episode.
    most_steps = {"Sender": 2, "SenderSymbol": LONGEST_MESSAGE + 1, "Receiver": 2}
    for role, steps in most_steps.items():
        for size, game in _SIZES.items():
            _register_once(
                gymnasium,
                f"spatial_game/{role}{size}-v0",
                entry_point=f"spatial_game.envs.roles:{role}Env",
                vector_entry_point=f"spatial_game.envs.roles:{role}VectorEnv",
                max_episode_steps=steps,
                kwargs=game,
            )
    for size, game in _SIZES.items():
        _register_once(
            gymnasium,
            f"spatial_game/Both{size}-v0",
            entry_point="spatial_game.envs.both:BothEnv",
            disable_env_checker=True,  # it knows no rewards that are tuples
            kwargs=game,
        )


def _register_once(gymnasium: Any, env_id: str, **kwargs: Any) -> None:
    if env_id not in gymnasium.registry:
        gymnasium.register(env_id, **kwargs)


_register_environments()
_register_gymnasium()

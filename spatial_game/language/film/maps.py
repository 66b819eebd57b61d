"""The map of a language as frames: the usual messages of the same cells, in the same windows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from spatial_game.config import GameConfig, Offset
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.columns import integers_at_offsets
from spatial_game.language.counting.counts import count
from spatial_game.language.counting.rows import FloatArray, Numbers, distinct_rows
from spatial_game.language.sketch.colours import coloured
from spatial_game.language.sketch.information import information
from spatial_game.language.sketch.usual import Kind, map_plan, usual_map
from spatial_game.recording import Recording


@dataclass(frozen=True)
class MapFrames:
    """Maps of S senders in F frames, with the same K integers and C columns (see `usual.Map`)."""

    kind: Kind
    offsets: tuple[Offset, ...]
    messages: IntArray  # (D, T), the distinct messages of all maps (D, 1) in a map of symbols
    message: Numbers  # (S, F, K, C), rows of `messages`; NONE where nothing was sent
    share: FloatArray  # (S, F, K, C), of the episodes, with the message
    episodes: Numbers  # (K, C)
    colour: npt.NDArray[np.int64]  # (S, F, K, C), numbers of colours; a message has the same in all frames


def map_frames(config: GameConfig, window: IntArray, messages: IntArray, best: tuple[int, int]) -> MapFrames:
    """Return the maps of the messages (S, F, B, T) that senders send for the same windows (B, W).

    All maps have the kind that suits the language of `best`, a sender and a frame.
    """
    counts = count(Recording(config, window=window, message=messages[best]))
    plan = map_plan(counts, information(counts))
    said = messages[..., :1] if plan.kind == "symbols" else messages
    distinct, number = distinct_rows(said.reshape(-1, said.shape[-1]))
    seen = integers_at_offsets(config, window)
    senders, frames = messages.shape[:2]
    maps = [usual_map(config, plan, seen, ids) for ids in number.reshape(senders * frames, -1)]
    shape = (senders, frames, *maps[0].message.shape)
    message = np.reshape([each.message for each in maps], shape)
    share = np.reshape([each.share for each in maps], shape)
    used, rows = np.unique(np.append(message, -1), return_inverse=True)  # NONE comes first
    message = rows[:-1].reshape(shape) - 1
    axes = (1, 2, 3) if plan.kind == "square" else (1, 2)
    return MapFrames(
        plan.kind,
        maps[0].offsets,
        distinct[used[1:]],
        message,
        share,
        maps[0].episodes,
        coloured(message, axes),
    )

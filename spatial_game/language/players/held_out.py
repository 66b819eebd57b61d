"""Reading held-out episodes with a lexicon alone: how often it leaves one candidate, and the right one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from spatial_game.game import rules
from spatial_game.language.counting.counts import Source, held_out_rows
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.players.decode import Decoder
from spatial_game.recording import ANALYSED

NEEDED = ("sequence", "candidates", "target_index")
"""The columns that reading needs beside those that are analysed."""
MOST = 200_000
"""Episodes that are read: more would not change the shares."""


@dataclass(frozen=True)
class ReadShares:
    """How `episodes` held-out episodes are read by the lexicon."""

    episodes: int
    unique: float
    """The share that is read to exactly one candidate."""
    right: float | None
    """Of these, the share in which it is the target; None if there are none."""
    ambiguous: float
    """The share that is read to several candidates that fit equally well."""


def read_held_out(lexicon: Lexicon, sources: Sequence[Source], most: int = MOST) -> ReadShares | None:
    """Read the first `most` held-out episodes of recordings; None where they do not show the candidates."""
    decoder, numbers = Decoder(lexicon), np.zeros(4, dtype=np.int64)
    columns = (*ANALYSED, *NEEDED)
    for block in (block for source in sources for block in source.blocks(columns=columns)):
        rows = held_out_rows(block)
        if block.sequence is None or block.candidates is None or block.target_index is None:
            return None
        decoded = decoder.decode(block.message[rows], block.sequence[rows], block.candidates[rows])
        won = decoded.unique & rules.won(block.target_index[rows], decoded.choice)
        numbers += (len(won), decoded.unique.sum(), won.sum(), decoded.ambiguous.sum())
        if numbers[0] >= most:
            break
    episodes, unique, right, ambiguous = numbers.tolist()
    if episodes == 0:
        return None
    return ReadShares(episodes, unique / episodes, right / unique if unique else None, ambiguous / episodes)

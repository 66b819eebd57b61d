"""Reading held-out episodes with a lexicon alone: how often it leaves one candidate, and the right one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spatial_game.language.counting.counts import Source, held_out_rows
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.players.decode import Decoder
from spatial_game.recording import ANALYSED

NEEDED = ("sequence", "candidates", "target_index")
"""The columns that reading needs beside those that are analysed."""
MOST = 200_000
"""Episodes that are read: more would not change the shares."""


@dataclass(frozen=True)
class ReadShares:
    """Of `episodes` held-out episodes, the shares that the lexicon reads."""

    episodes: int
    unique: float
    """To exactly one candidate."""
    right: float
    """To exactly one candidate, which is the target."""
    ambiguous: float
    """To several candidates that fit equally well."""


def read_held_out(lexicon: Lexicon, sources: Sequence[Source], most: int = MOST) -> ReadShares | None:
    """Read the first `most` held-out episodes of recordings; None where they do not show the candidates."""
    decoder, read = Decoder(lexicon), [0, 0, 0, 0]
    columns = (*ANALYSED, *NEEDED)
    for block in (block for source in sources for block in source.blocks(columns=columns)):
        rows = held_out_rows(block)
        if block.sequence is None or block.candidates is None or block.target_index is None:
            return None
        found = decoder.decode(block.message[rows], block.sequence[rows], block.candidates[rows])
        right = found.unique & (found.choice == block.target_index[rows])
        numbers = (len(right), found.unique.sum(), right.sum(), found.ambiguous.sum())
        read = [known + int(number) for known, number in zip(read, numbers, strict=True)]
        if read[0] >= most:
            break
    if read[0] == 0:
        return None
    return ReadShares(read[0], *(number / read[0] for number in read[1:]))

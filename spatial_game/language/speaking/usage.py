"""Speaking with a dictionary as the sender would: of all that is true, what is most usual.

A lexicon often has several messages for one meaning, and does not say which to use when. Usage does: of
the messages whose dictionary reading is true in a window, this speaker says the one that the statistics of
messages make most probable there. Every message that it says was sent in the recordings and says a place.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

import numpy as np

from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.columns import blocks, window_columns
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.speaking.decode import Decoder, Mask
from spatial_game.language.speaking.phrases import NOTHING, PHRASE_KINDS
from spatial_game.language.speaking.statistical import MessageModel, StatisticalSpeaker

_CELLS = 1 << 23


class UsualSpeaker:
    """Says the most usual of the messages that the dictionary makes true. A `Sender` where it covers all.

    `kinds`: the kinds of phrases that count as true. Raises `ValueError` for a model of another game than the
    lexicon's.
    """

    def __init__(
        self, lexicon: Lexicon, model: MessageModel, *, kinds: Collection[str] = PHRASE_KINDS
    ) -> None:
        if model.config != lexicon.config:
            raise ValueError(
                f"model must be of the lexicon's game {lexicon.config.signature}; "
                f"got {model.config.signature}"
            )
        self.model, self._speaker = model, StatisticalSpeaker(model)
        self._says: Mask = Decoder(of_kinds(lexicon, kinds)).places(model.counts.messages)  # (columns+1, M)

    def speak(self, window: IntArray) -> IntArray:
        """Messages (B, T) for windows (B, W); NOTHING throughout where no message is true."""
        messages = np.full((len(window), self.model.config.message_length), NOTHING, dtype=np.int16)
        size = self.model.sense_share.size
        for rows in blocks(len(window), max(1, _CELLS // size)):
            columns = window_columns(self.model.config, window[rows])
            true: Mask = np.asarray(self._says[columns].any(axis=1))
            scores = np.where(true, self._speaker.scores(columns), -np.inf)
            spoken = true.any(axis=1)
            messages[rows][spoken] = self.model.counts.messages[scores[spoken].argmax(axis=1)]
        return messages


def of_kinds(lexicon: Lexicon, kinds: Collection[str]) -> Lexicon:
    """The lexicon with the entries that phrases of these kinds are made of, and no others."""
    kept = {kind for kind in kinds if kind != "compositional"}
    kept |= {"integer", "offset"} if "compositional" in kinds else set()
    return dataclasses.replace(lexicon, entries=tuple(e for e in lexicon.entries if e.kind in kept))

"""Speaking with a lexicon as the sender would: the most common true message.

A lexicon often has several messages for one meaning, and does not say when to use which. Of the messages
whose reading by the lexicon is true in a window, this speaker says the one that the statistics of messages
make most probable there. Every message that it says was sent in the recordings and says a place.
"""

from __future__ import annotations

from collections.abc import Collection

from spatial_game.game.episodes import IntArray
from spatial_game.language.lexicon.lexicon import Lexicon
from spatial_game.language.speaking.decode import Decoder
from spatial_game.language.speaking.message_model import MessageModel
from spatial_game.language.speaking.phrases import PHRASE_KINDS, of_phrases
from spatial_game.language.speaking.statistical_players import StatisticalSpeaker


class UsualSpeaker:
    """Says the most common of the messages that the lexicon makes true.

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
        self._speaker = StatisticalSpeaker(model)
        self._true = Decoder(of_phrases(lexicon, kinds)).true_of(model.counts.messages)

    def speak(self, window: IntArray) -> IntArray:
        """Return messages (B, T) for windows (B, W); -1 throughout where no message is true."""
        return self._speaker.send_among(window, self._true)

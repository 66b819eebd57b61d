"""Does a receiver understand the sender of another language, once its messages are translated?

Translation needs nothing but both dictionaries and the message. Where it succeeds, both languages have the
same concepts, whatever their words are.
"""

from __future__ import annotations

import numpy as np

from spatial_game.game.episodes import Episodes, IntArray, draw_episodes
from spatial_game.game.rules import ask_sender
from spatial_game.game.seeds import random_stream
from spatial_game.language.translating import translate
from spatial_game.studies import translation_text
from spatial_game.studies.sides import SAME_WORDS, Direction, Side
from spatial_game.studies.study import (
    Study,
    understood,
)


def translation(one: Side, other: Side, num_episodes: int = 10_000, seed: int = 0) -> Study:
    """Let each receiver of two languages, A and B, choose by the translated messages of the other's sender.

    Each direction has a verdict: "the same concepts in other words", "partly the same concepts" or "other
    concepts" (from `MOSTLY` and `IN_PART` of the scale on). Messages count as they are understood better:
    translated, or as they are sent. It is "cannot say" if the receiver hardly understands its own sender, or
    if the interval holds both the same and other concepts.
    Raises `ValueError` for languages of different games.
    """
    config = one.dictionary.config
    rng = np.random.default_rng(random_stream(seed, "translation"))
    episodes = draw_episodes(config, num_episodes, rng)
    there, back = (
        _direction(speaking, hearing, episodes, rng) for speaking, hearing in ((one, other), (other, one))
    )
    without_agents = [name for name, side in (("A", one), ("B", other)) if side.agents is None]
    return Study(
        config,
        f"n{num_episodes}",
        seed,
        translation_text.table(there, back),
        {
            "a_to_b": there.to_dict(),
            "b_to_a": back.to_dict(),
            "same_words": there.verdict == back.verdict == SAME_WORDS,
        },
        translation_text.sentences(there, back, without_agents),
        translation_text.KEY,
    )


def _direction(speaking: Side, hearing: Side, episodes: Episodes, rng: np.random.Generator) -> Direction:
    """Let one language speak, and the other hear."""
    sent, own = (
        ask_sender(side.sender, episodes.window, side.dictionary.config) for side in (speaking, hearing)
    )
    translated = translate(sent, speaking.dictionary, hearing.dictionary)
    messages: dict[str, IntArray] = {
        "untranslated": sent,
        "translated": translated,
        "shuffled": rng.permutation(translated),
        "own": own,
        "to_itself": translate(own, hearing.dictionary, hearing.dictionary),
    }
    figures = {name: understood(hearing.receiver, each, episodes) for name, each in messages.items()}
    return Direction(**figures, chance=1 / episodes.candidates.shape[1])

"""What the dictionary explains of each bundled pair, and how it reads and speaks: the table of *Findings*.

    OMP_NUM_THREADS=1 python experiments/dictionaries.py --out docs/_static/findings/dictionaries.csv
    python experiments/dictionaries.py --pairs embed-60/0            (prints a row; seconds)

For each pair, 100,000 episodes of seed 77 are recorded and analysed; every tenth is held out. Then, in 5,000
episodes of seed 78, the reader reads the sender's messages, and the receiver is asked with those that the
speaker makes from the dictionary alone, and with those in which the symbol of one slot is exchanged for one
that says only what is true, or something untrue (`true_1_new`, `false_1_new`: the first slot, where the
dictionary has neither of the changed messages; `true_1_known`: where it has both). The columns of the four
neighbours have what messages tell about the integer there, in bits for each held-out episode in which the
sender sees it (only pairs that see four of a sequence).
"""

import numpy as np
from rows import family_of, make_rows, pairs_of

from spatial_agents import load_pair
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.seeds import random_stream
from spatial_game.language import build_dictionary, count, probe
from spatial_game.recording import record

EPISODES, PLAYED = 100_000, 5_000
NEIGHBOURS = {-2: "two_left", -1: "one_left", 1: "one_right", 2: "two_right"}


def rows_of(name):
    """Yield the figures of one pair."""
    pair = load_pair(name)
    recorded = draw_episodes(pair.config, EPISODES, np.random.default_rng(random_stream(77, "recording")))
    dictionary = build_dictionary(count(record((pair.sender, None), recorded, pair.config)))
    episodes = draw_episodes(pair.config, PLAYED, np.random.default_rng(random_stream(78, "probe")))
    report, bits = probe(pair.receiver, dictionary, episodes, sender=pair.sender), dictionary.bits
    yield {
        "family": family_of(name),
        "pair": name,
        "message_bits": f"{bits.entropy:.3f}",
        "held_out_bits": f"{bits.messages:.3f}",
        "read": f"{report.read.accuracy:.4f}",
        "own": f"{report.own.accuracy:.4f}",
        "spoken": f"{report.understood.accuracy:.4f}",
        "relative": f"{report.relative:.4f}",
        "messages": len(dictionary.messages),
        **neighbours(dictionary),
        **exchanged(report.exchanges),
    }


def exchanged(exchanges):
    """Return how often messages are understood with a symbol exchanged, slot by slot, of how many.

    `true_only` and `false_only` count the episodes in which only the true, or only the false, symbol is
    understood: with them, the difference of a pair can be tested (McNemar).
    """
    cells = {}
    for each in exchanges:
        kind = f"{each.slot}_{'new' if each.new else 'known'}"
        for name, part in {"true": each.true, "false": each.false}.items():
            cells[f"{name}_{kind}"] = f"{part.accuracy:.4f}" if part.trials else ""
        cells[f"n_{kind}"] = each.difference.trials
        cells[f"true_only_{kind}"] = each.difference.first_only
        cells[f"false_only_{kind}"] = each.difference.second_only
    return cells


def neighbours(dictionary):
    """Return the bits about each neighbour, empty for other games."""
    config, views = dictionary.config, dictionary.columns.views
    if config.num_hidden or len(config.shape) > 1 or config.window_radius != 2:
        return dict.fromkeys(NEIGHBOURS.values(), "")
    bits = np.array(dictionary.bits.messages_by_variable[:-1]) / (views.share @ views.shown)
    return {name: f"{bits[config.offsets.index(offset)]:.2f}" for offset, name in NEIGHBOURS.items()}


if __name__ == "__main__":
    make_rows(__doc__, rows_of, pairs_of())

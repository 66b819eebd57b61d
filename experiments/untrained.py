"""What the dictionary makes of networks that were never trained: a harder baseline than random senders.

    python experiments/untrained.py --out docs/_static/findings/untrained.csv    (10 minutes)
    python experiments/untrained.py --seeds 1                                    (prints two rows)

Their messages depend on the window, so a dictionary need not be empty; but nobody agreed on them, and no
receiver understands them. One row for each kind of input and each seed.
"""

import numpy as np
from rows import parser_of, save

from spatial_agents.agent_config import AgentConfig
from spatial_agents.networks import networks_of, new_pair
from spatial_agents.pairs.pair import pair_from_weights
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.build import dictionary_of
from spatial_game.recording import record

CONFIG, EPISODES = GameConfig(), 100_000


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    save([row_of(i, seed) for i in ("scalars", "embedding") for seed in range(options.seeds)], options.out)


def row_of(inputs, seed):
    """Return what the messages of one untrained sender carry, and what the dictionary makes of them."""
    agent = AgentConfig(inputs=inputs)
    pair = pair_from_weights(new_pair(CONFIG, networks_of(agent), seed).state_dict(), CONFIG, agent)
    episodes = draw_episodes(CONFIG, EPISODES, np.random.default_rng(seed))
    counts = count(record(pair.sender, None, episodes, CONFIG))
    lexicon = dictionary_of(counts)
    return {
        "inputs": inputs,
        "seed": seed,
        "messages": len(counts.messages),
        "message_bits": f"{lexicon.account.message_bits:.3f}",
        "held_out_bits": f"{lexicon.account.held_out_bits:.3f}",
        "entries": len(lexicon.listed),
    }


if __name__ == "__main__":
    main()

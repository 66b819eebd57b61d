"""Networks that were never trained: what their messages tell, and who understands them.

    OMP_NUM_THREADS=1 python experiments/untrained.py --out docs/_static/findings/untrained.csv
    python experiments/untrained.py --seeds 0                                                (prints two rows)

The messages of such a sender depend on the window, so a dictionary need not be empty. Two receivers are asked
in 5,000 other episodes: the reader, which has a dictionary of 100,000 episodes, and the receiver of a trained
pair of the same networks, which has learned another language. One row for each kind of input and each seed.
"""

import numpy as np
from rows import make_rows

from spatial_agents import load_pair
from spatial_agents.network_config import NetworkConfig
from spatial_agents.networks import networks_of, new_networks
from spatial_agents.pairs.pair import pair_from_weights
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.evaluation import won_by
from spatial_game.game.seeds import random_stream
from spatial_game.language import Reader, build_dictionary, count
from spatial_game.recording import record

CONFIG, EPISODES, PLAYED = GameConfig(), 100_000, 5_000
TRAINED = {"scalars": "paper-60/0", "embedding": "embed-60/0"}


def rows_of(seed):
    """Yield a row for each kind of input."""
    return (row_of(inputs, int(seed)) for inputs in TRAINED)


def row_of(inputs, seed):
    """Return what the messages of one untrained sender tell, and how often both receivers find the target."""
    network_config = NetworkConfig(inputs=inputs)
    weights = new_networks(CONFIG, networks_of(network_config), seed).state_dict()
    sender = pair_from_weights(weights, CONFIG, network_config).sender
    recorded, fresh = map(np.random.default_rng, random_stream(seed, "untrained").spawn(2))
    recording = record((sender, None), draw_episodes(CONFIG, EPISODES, recorded), CONFIG)
    dictionary = build_dictionary(count(recording))
    episodes = draw_episodes(CONFIG, PLAYED, fresh)
    message, trained = sender.send(episodes.window), load_pair(TRAINED[inputs]).receiver
    return {
        "inputs": inputs,
        "seed": seed,
        "messages": len(dictionary.messages),
        "message_bits": f"{dictionary.bits.entropy:.3f}",
        "held_out_bits": f"{dictionary.bits.messages:.3f}",
        "read": f"{won_by(Reader(dictionary), message, episodes).mean():.4f}",
        "understood": f"{won_by(trained, message, episodes).mean():.4f}",
    }


if __name__ == "__main__":
    make_rows(__doc__, rows_of, [*map(str, range(10))], "seeds")

r"""Languages with an order of their own: bits by both kinds of description, and where the orders come from.

    python experiments/orders.py --out docs/_static/findings/orders.csv \
        --fits docs/_static/findings/orders-fits.csv

Bundled pairs of local networks have an additive model in their lexicon, from 300,000 episodes of seed 0. One
that has none gets it from 300,000 episodes of seed 77. Pairs that are in a file already are left as they are.
(`experiments/families.py` has the bits of their dictionaries.) Then

- fresh episodes are read, and spoken, by the additive model;
- in fresh episodes, one neighbour of the target is swapped with another integer of the sequence, and the
  message is kept. Where the choice of a reader by the model changes, does the receiver's? One reader takes
  the candidate with the most evidence, the other the one whose sum is nearest to the message's region;
- the first layer of the sender, trained and untrained, gives an order without any recording: the first
  singular vector of what each integer adds in each place.

With `--fits`, two more models of each pair are fitted from other random starts to the episodes of seed 77,
and one to the episodes of an untrained sender of the same seed.
"""

import argparse
import csv
import fcntl
from contextlib import contextmanager, nullcontext
from pathlib import Path

import numpy as np

from spatial_agents.networks.gru import new_pair
from spatial_agents.pairs.names import PRETRAINED, numbered_pairs
from spatial_agents.pairs.tensor_files import read_weights
from spatial_agents.pairs.torch_play import pair_from_network
from spatial_agents.recipes import AgentConfig
from spatial_agents.seeding import torch_generator
from spatial_game.cli.options import GameOptions
from spatial_game.cli.players import load_players
from spatial_game.game.episodes import draw_episodes, lowest_in_window
from spatial_game.game.seeds import stream
from spatial_game.language.additive.code import slot_means
from spatial_game.language.additive.fit import fit_values, sample
from spatial_game.language.additive.model import cells_of_columns
from spatial_game.language.additive.regions import message_regions, rank_correlation
from spatial_game.language.counting.columns import candidate_columns
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.account import entropy
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.players.compose import Composer
from spatial_game.language.players.decode import Decoder
from spatial_game.recording import record

NAMES = ("grid-8x8", "local-60")
EPISODES, UNTRAINED, ASKED = 300_000, 100_000, 10_000
SEEDS = 3


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--fits", type=Path, help="also fit more models, and write this file")
    parser.add_argument("--lock", type=Path, help="let one process at a time work on a pair")
    options = parser.parse_args()
    write_rows(options.out, row_of, options.lock)
    if options.fits:
        write_rows(options.fits, fits_of, options.lock)


def write_rows(out, row, lock):
    """Write a file with a row for each pair, each as soon as it is known."""
    rows = list(csv.DictReader(out.open(encoding="utf-8"))) if out.exists() else []
    for name in NAMES:
        for index in numbered_pairs(PRETRAINED / name):
            if f"{name}/{index}" in [known["pair"] for known in rows]:
                continue
            with locked(lock) if lock else nullcontext():
                rows.append({"pair": f"{name}/{index}", **row(name, index)})
            with out.open("w", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
            print(rows[-1], flush=True)


@contextmanager
def locked(path):
    """Hold the lock of a file within the block."""
    with path.open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def row_of(name, index):
    """Return what the model of a pair explains, what its receiver hears, and the order of its first layer."""
    pair = load_players(f"{name}/{index}", GameOptions(), seed=77)
    lexicon = additive_lexicon(pair)
    found, values = lexicon.additive, integers(lexicon.additive.model)
    share, order = layer_of(trained(name, index), pair.config)
    start_share, start_order = layer_of(untrained(pair).sender.state_dict(), pair.config)
    return {
        "message_bits": round(found.message_bits, 3),
        "held_out": round(found.held_out_bits, 3),
        "kilobits": round(found.kilobits, 1),
        "values": len(found.model.values),
        "noise": round(found.model.noise, 5),
        **played(pair, lexicon),
        **moved(pair, Decoder(lexicon), "evidence"),
        **moved(pair, Nearest(found.model), "nearest"),
        "layer_order": round(abs(rank_correlation(values, order)), 4),
        "layer_share": round(share, 4),
        "start_layer_share": round(start_share, 4),
        "start_layer_order": round(abs(rank_correlation(order, start_order)), 4),
        "order": " ".join(map(str, np.argsort(values, kind="stable").tolist())),
    }


def fits_of(name, index):
    """Return how alike more fits of one pair are, and what its sender says before training."""
    pair = load_players(f"{name}/{index}", GameOptions(), seed=77)
    counts = counted(pair.sender, pair.config, EPISODES)
    model, known = additive_lexicon(pair).additive, sample(counts)
    values, number = integers(model.model), len(model.model.values)
    others = [fit_values(known, number, generator(seed)) for seed in range(1, SEEDS)]
    held = [model.held_out_bits, *(held_out(other, known) for other in others)]
    network = untrained(pair)
    player = pair_from_network(network, pair.config, recipe(pair))
    silent = counted(player.sender, pair.config, UNTRAINED)
    seen = sample(silent)
    start = fit_values(seen, number, generator(0))
    return {
        "message_bits": round(model.message_bits, 3),
        "held_out_least": round(min(held), 3),
        "held_out_most": round(max(held), 3),
        "order": round(min(abs(rank_correlation(values, integers(other))) for other in others), 4),
        "start_message_bits": round(entropy(silent.message_totals), 3),
        "start_held_out": round(held_out(start, seen), 3),
        "start_order": round(abs(rank_correlation(values, integers(start))), 4),
    }


def recipe(pair):
    """Return the networks of a pair, as its card names them."""
    return AgentConfig(**{name: pair.card["recipe"][name] for name in AgentConfig.__dataclass_fields__})


def untrained(pair):
    """Return the networks of a pair as they were before training."""
    seed = int(pair.card["streams"]["weights"]["entropy"])
    return new_pair(pair.config, recipe(pair), torch_generator(seed, "weights"))


def trained(name, index):
    """Return the weights of a trained sender."""
    weights = read_weights(PRETRAINED / name / f"{index:02d}.safetensors").tensors
    return {key.removeprefix("sender."): w for key, w in weights.items() if key.startswith("sender.")}


def additive_lexicon(pair):
    """Return the bundled lexicon of a pair; if it has none, one of new episodes."""
    if pair.lexicon is not None:
        return Lexicon.read(pair.lexicon)
    counts = counted(pair.sender, pair.config, EPISODES)
    return Lexicon.from_counts(counts, select="additive", rng=generator(0))


def generator(seed):
    """Return the generator of `analyse --select additive --seed SEED`."""
    return np.random.default_rng(stream(seed, "additive"))


def counted(sender, config, episodes):
    """Return the counts of new episodes of seed 77."""
    drawn = draw_episodes(config, episodes, np.random.default_rng(stream(77, "recording")))
    return count(record(sender, None, drawn, config))


def integers(model):
    """Return the first value of each integer."""
    return model.values[0, : len(model.config.integers)]


def held_out(model, known):
    """Return the bits that a model explains of held-out episodes, as a description counts them."""
    said = slot_means(model, known.held_cells, known.held_ids).sum()
    return float(known.known * (said - np.log2(model.share[known.held_ids]).mean()))


def played(pair, lexicon):
    """Return how well the model reads the sender, and the receiver the model."""
    episodes = draw_episodes(pair.config, ASKED, np.random.default_rng(stream(78, "orders")))
    own, said = pair.sender.send(episodes.window), Composer(lexicon).compose(episodes.window).message
    around = (episodes.sequence, episodes.candidates)
    choices = {
        "own": pair.receiver.choose(own, *around),
        "reads": Decoder(lexicon).choose(own, *around),
        "understood": pair.receiver.choose(said, *around),
    }
    return {key: round(float((choice == episodes.target_index).mean()), 4) for key, choice in choices.items()}


class Nearest:
    """A receiver that takes the candidate whose sums are nearest to the mean of the message's region."""

    def __init__(self, model):
        self.model, self.centres = model, np.array([region.centre for region in message_regions(model)])

    def choose(self, messages, sequence, candidates):
        """Return choices (B,)."""
        config = self.model.config
        columns = candidate_columns(config, sequence, candidates)
        sums = self.model.contributions[cells_of_columns(config, config, columns)].sum(axis=2)
        centres = self.centres[self.model.ids(messages)]
        return ((sums - centres[:, None]) ** 2).sum(axis=2).argmin(axis=1)


def moved(pair, reader, name):
    """Return how often the receiver's choice changes with the reader's, where a neighbour is swapped."""
    rng = np.random.default_rng(stream(79, "orders"))
    episodes = draw_episodes(pair.config, ASKED, rng)
    message, sequence = pair.sender.send(episodes.window), episodes.sequence.copy()
    rows, places = np.arange(ASKED), rng.integers(0, pair.config.window_size, ASKED)
    neighbour = episodes.window[rows, places]
    other = rng.integers(0, sequence.shape[1], ASKED)
    here = (sequence == neighbour[:, None]).argmax(axis=1)
    sequence[rows, here], sequence[rows, other] = sequence[rows, other], sequence[rows, here]
    before, after = (
        [each_reader.choose(message, each, episodes.candidates) for each_reader in (reader, pair.receiver)]
        for each in (episodes.sequence, sequence)
    )
    target = episodes.target_index
    # Windows in which the mask, a candidate or nothing at all was moved tell nothing.
    fair = (neighbour >= 0) & (here != other) & (before[0] == target) & (before[1] == target)
    for place in (here, other):
        at = episodes.sequence[rows, place]
        fair &= (episodes.candidates != at[:, None]).all(axis=1)
    said, heard = (one[fair] != target[fair] for one in after)
    same = after[0][fair] == after[1][fair]
    return {
        f"{name}_swaps": int(fair.sum()),
        f"{name}_changes": int(said.sum()),
        f"{name}_heard": round(float(heard[said].mean()), 4),
        f"{name}_heard_else": round(float(heard[~said].mean()), 4),
        f"{name}_same_choice": round(float(same[said].mean()), 4),
    }


def layer_of(tensors, config):
    """Return (share, values) of the first singular vector of what integers add in the first layer."""
    table, weights = (np.asarray(tensors[f"{each}.weight"]) for each in ("inputs.table", "window_to_wide"))
    table = table[-lowest_in_window(config) :]  # the rows before are of the mask and of hidden cells
    by_place = weights.reshape(len(weights), config.window_size, -1)
    added = np.einsum("kf,hwf->kwh", table, by_place).reshape(len(table), -1)
    left, strength, _ = np.linalg.svd(added - added.mean(axis=0), full_matrices=False)
    return float(strength[0] ** 2 / (strength**2).sum()), left[:, 0]


if __name__ == "__main__":
    main()

"""Which cheap figure of a dictionary predicts how well it reads and speaks? The phrasebook question.

    python experiments/phrasebook.py --out docs/_static/findings/phrasebook.csv

Languages are the bundled pairs and the known spatial languages without noise and with 10%, of 20,000 episodes
each. Known languages play with a receiver that knows their true dictionary. For the dictionary of each
reader, a row has its cheap figures, and in how many new episodes it reads the sender and is understood by the
receiver. Rows that are in the file are not made again; `--part 0/2` makes half of the languages.

Beside the rows, `phrasebook-figures.csv` has the variance of reading and speaking that each figure explains
alone (R-squared of a line), and `phrasebook.png` shows the best figure.
"""

import argparse
import csv
import fcntl
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

from spatial_game.benchmark import ANY, Corpus, Limits, Task, load_reader
from spatial_game.benchmark.corpus import COMPARED, entry_of, meanings_of
from spatial_game.benchmark.playing import Player, play
from spatial_game.benchmark.running import read_within
from spatial_game.benchmark.suite import GAME, SPATIAL, tasks
from spatial_game.benchmark.trained import ASKED
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.language.counting.forms import Form, carriers
from spatial_game.language.dictionary.account import entropy
from spatial_game.language.dictionary.referents import senses_of
from spatial_game.language.measures import all_measures
from spatial_game.language.synthetic import Language
from spatial_game.recording import Recording

READERS = ("description", "npmi", "majority", "posdis", "csar", "morfessor")
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#555555")
EPISODES = 20_000
TITLES = {"read": "reads the sender", "spoken": "speaks to the receiver"}
LEAST_DRAWN = -1.0
"""Dictionaries that explain less than this (they are too sure) are drawn at the edge."""
MEASURES = ("topographic similarity", "positional disentanglement", "bag-of-symbols disentanglement")
FIGURES = ("share explained", "kilobits", "entries", "NPMI of entries", "confidence", *MEASURES)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--part", default="0/1", help="NUMBER/PARTS of the languages")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    for task in languages()[part::parts]:
        if task.name not in {row["language"] for row in read(options.out)}:
            rows = [*rows_of(task)]
            add(options.out, rows)
            print(task.name, [(row["reader"], row["read"], row["spoken"]) for row in rows], flush=True)
    rows = read(options.out)
    if len({row["language"] for row in rows}) == len(languages()):
        write(options.out.with_name(f"{options.out.stem}-figures.csv"), [*figures(rows)])
        draw(rows, options.out.with_suffix(".png"))


def languages():
    """Return the bundled pairs, then known spatial languages without comparisons, which do not play."""
    trained = [task for task in tasks("full") if task.track == "trained"]
    known = [Task("spatial", name, EPISODES, noise) for noise in (0.0, 0.1) for name in SPATIAL]
    return trained + [task for task in known if task.language != "comparison"]


@dataclass(frozen=True)
class KnowsAnswers:
    """A receiver that knows the true dictionary of a language."""

    player: Player

    def choose(self, messages, sequence, candidates):
        """Return (B,), the candidate that fits each message best."""
        asked = SimpleNamespace(sequence=sequence, candidates=candidates)
        return self.player.scores(messages, asked).argmax(axis=1)


@dataclass(frozen=True)
class Known:
    """A known language as a pair of agents."""

    sender: Language
    receiver: KnowsAnswers
    config: GameConfig


def made(task):
    """Return the messages of a language with a pair that speaks it."""
    if task.track == "trained":
        return task.make()
    seeds = np.random.default_rng([*SPATIAL].index(task.language)).spawn(3)
    language = SPATIAL[task.language](GAME, seeds[0], noise=task.noise)
    window, asked = draw_episodes(GAME, EPISODES, seeds[1]).window, draw_episodes(GAME, ASKED, seeds[2])
    truth = {entry_of(form, sense, GAME) for form, meant in language.truth for sense in senses_of(meant)}
    forms = language.send(window)
    pair = Known(language, KnowsAnswers(Player(sorted(truth, key=str), forms, GAME)), GAME)
    return Corpus(forms, meanings_of(GAME, window), pair=pair, asked=asked)


def rows_of(task):
    """Yield what is measured of the dictionary of each reader."""
    corpus = made(task)
    config = corpus.meanings.config
    recording = Recording(config, corpus.meanings.window, corpus.forms)
    of_language = {
        each.name: each.value
        for each in all_measures(recording, np.random.default_rng(0), num_shuffles=0, max_pairs=20_000)
    }
    bits = entropy(np.unique(corpus.forms, axis=0, return_counts=True)[1])
    for reader in READERS:
        found = read_within(load_reader(reader), corpus, Limits())
        played = play(found.entries, corpus, np.random.default_rng(0))
        npmi, confidence = weighted(found.entries, corpus)
        yield {
            "language": task.name,
            "reader": reader,
            "fault": found.fault,
            "read": rounded(played["read"]),
            "spoken": rounded(played["spoken"]),
            "own": rounded(played["own"]),
            "message bits": rounded(bits),
            "held-out bits": rounded(played["held_out_bits"]),
            "share explained": rounded(share_of(played["held_out_bits"], bits)),
            "kilobits": rounded(played["kilobits"]),
            "entries": len(found.entries),
            "NPMI of entries": rounded(npmi),
            "confidence": rounded(confidence),
            **{name: rounded(of_language[name]) for name in MEASURES},
        }


def share_of(explained, bits):
    """Return a share of the bits of the messages; None where the bits are not known, or there are none."""
    return None if explained is None or not bits else explained / bits


def rounded(value):
    """Return a figure with four decimals, or nothing."""
    return "" if value is None else round(float(value), 4)


def weighted(entries, corpus):
    """Return the mean NPMI and confidence of entries by how often they are sent; None without entries."""
    number = len(corpus.forms)
    forms = carriers([Form(entry.form, entry.slot) for entry in entries], corpus.forms)
    standing = np.asarray(forms.sum(axis=1)).ravel()
    scores = np.zeros((len(entries), 2))
    for i, entry in enumerate(entries):
        holds = holding(entry, corpus.meanings.values)
        both = holds[forms.indices[forms.indptr[i] : forms.indptr[i + 1]]].sum() / number
        chance = standing[i] / number * holds.mean()
        npmi = np.log2(both / chance) / -np.log2(both) if 0 < both < 1 else both - 1  # -1 if never together
        scores[i] = npmi, entry.confidence
    return np.average(scores, axis=0, weights=standing) if standing.sum() else (None, None)


def holding(entry, values):
    """Return (N,), whether the meaning of an entry holds for each of the values (N, P)."""
    named = {}
    for place, value in entry.meaning:
        if place != COMPARED:
            named.setdefault(place, []).append(value)
    holds = np.ones(len(values), dtype=bool)
    for place, several in named.items():
        at = values[:, :-1] if place == ANY else values[:, [place]]
        holds &= (at != ANY if several == [ANY] else np.isin(at, several)).any(axis=1)
    return holds


def figures(rows):
    """Yield how much of the variance of reading and speaking each figure explains alone.

    "Within": among the dictionaries of one language, after subtracting the means of each language.
    """
    for figure in FIGURES:
        own = [row for row in rows if row[figure] != ""]
        of_figure = np.array([float(row[figure]) for row in own])
        language = np.unique([row["language"] for row in own], return_inverse=True)[1]
        row = {"Figure": figure}
        for wanted in ("read", "spoken"):
            play = np.array([float(each[wanted]) for each in own])
            row[f"R² {wanted}"] = explained(of_figure, play)
            row[f"Within ({wanted})"] = explained(centred(of_figure, language), centred(play, language))
        yield row | {"Dictionaries": len(own)}


def explained(of_figure, play):
    """Return the share of the variance of play that a line explains; nothing for a constant figure."""
    return f"{np.corrcoef(of_figure, play)[0, 1] ** 2:.2f}" if np.ptp(of_figure) > 1e-9 else ""


def centred(values, group):
    """Return values less the means of their groups."""
    return values - (np.bincount(group, values) / np.bincount(group))[group]


def draw(rows, path):
    """Draw how well dictionaries read and speak against the share of the bits that they explain."""
    matplotlib.use("agg")
    shown, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
    for axis, (wanted, title) in zip(axes, TITLES.items(), strict=True):
        for reader, colour in zip(READERS, COLOURS, strict=True):
            own = [r for r in rows if r["reader"] == reader and r["share explained"] != ""]
            share = [max(float(r["share explained"]), LEAST_DRAWN) for r in own]
            axis.scatter(share, [float(r[wanted]) for r in own], s=9, color=colour, alpha=0.7, label=reader)
        axis.axhline(0.2, color="0.6", linewidth=0.8, linestyle=":")
        axis.set(xlabel="share of the bits explained, held out", title=title, ylim=(0, 1.02))
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("share of episodes won")
    axes[1].legend(frameon=False, fontsize=8)
    shown.savefig(path, dpi=110)


def read(path):
    """Return the rows of a file; none if there is no such file."""
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]


def add(path, rows):
    """Add rows to a file that other processes add to as well."""
    with path.open("a", newline="", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        if not path.stat().st_size:
            writer.writeheader()
        writer.writerows(rows)


def write(path, rows):
    """Write rows."""
    path.unlink(missing_ok=True)
    add(path, rows)


if __name__ == "__main__":
    main()

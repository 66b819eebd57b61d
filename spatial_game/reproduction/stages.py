"""Measure everything that the paper reports on given pairs, in stages that resume.

Each stage of each pair writes a JSON file with its key (sizes, seed, weights, version). A stage whose file
has the same key is not run again.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

import numpy as np

import spatial_game
from spatial_game.config import GameConfig
from spatial_game.files import write_text
from spatial_game.game.episodes import draw_batches, draw_episodes
from spatial_game.game.evaluation import evaluate_agents
from spatial_game.game.policies import Receiver, Sender
from spatial_game.game.seeds import stream
from spatial_game.json_text import from_json, to_json
from spatial_game.language.counting.counts import Counts, count
from spatial_game.language.lexicon.analyses import Estimator, NpmiSettings
from spatial_game.language.npmi.analysis import lexicon_by_npmi
from spatial_game.language.npmi.grid import grid
from spatial_game.recording import RecordingWriter, read_recording, record
from spatial_game.reproduction.asking import measure_phrases
from spatial_game.reproduction.minimal_pairs import minimal_pairs
from spatial_game.reproduction.thresholds import choose_thresholds
from spatial_game.studies import other_lengths
from spatial_game.studies.lengths import Integers

FORMAT = 7
"""What the stages measure and store; results of another format are measured again."""
ESTIMATORS: tuple[Estimator, ...] = ("exact", "paper")


@dataclass(frozen=True)
class Sizes:
    """Episodes of each stage."""

    recorded: int = 300_000
    """Recorded messages for dictionaries."""
    choosing: int = 20_000
    """For each kind of phrases in each cell of the grid, in ten draws."""
    reported: int = 20_000
    """For every reported accuracy; accuracies of phrases are in ten draws."""


QUICK = Sizes(recorded=100_000, choosing=1_000, reported=4_000)


@dataclass(frozen=True)
class Subject:
    """A pair of agents with a name, and what a report says of its training."""

    name: str
    sender: Sender
    receiver: Receiver
    config: GameConfig
    weights_hash: str | None = None
    metrics: Path | None = None
    """The metrics.csv of its training, if known."""
    family: str = ""
    """The name of its family, over which tables give a mean. Default: the pair's name."""
    recipe: str = ""
    """The recipe of its training, if known."""
    inputs: str = ""
    """How integers enter its networks, if known."""


def reproduce(subjects: Sequence[Subject], out: Path, sizes: Sizes, seed: int = 0) -> dict[str, Any]:
    """Run all stages for all pairs into the folder `out`, and return the results.

    Raises `ValueError` without pairs, and for two pairs with the same name.
    """
    names = [subject.name for subject in subjects]
    if not names or len(set(names)) < len(names):
        raise ValueError(f"subjects must be at least one pair, of different names; got {names or 'none'}")
    pairs = {subject.name: of_pair(subject, out, sizes, seed) for subject in subjects}
    return {"pairs": pairs, "signature": signature(sizes, seed), "sizes": asdict(sizes), "seed": seed}


def of_pair(subject: Subject, out: Path, sizes: Sizes, seed: int = 0) -> dict[str, Any]:
    """Run all stages of one pair into its folder below `out`, and return its results."""
    stages = Stages(subject, out / "data" / subject.name, sizes, seed)
    found = {name: stages.stored(name) for name in STAGES}
    weights = f"weights {subject.weights_hash[:19]}" if subject.weights_hash else "no weights"
    return {
        "family": subject.family or subject.name,
        "recipe": subject.recipe,
        "inputs": subject.inputs,
        "game": subject.config.signature,
        "sequence_length": subject.config.sequence_length,
        "chance": 1 / subject.config.num_candidates,
        "weights_hash": subject.weights_hash,
        "signature": f"{subject.config.signature} | {signature(sizes, seed)} | {weights}",
        "training": read_metrics(subject.metrics),
        **found,
    }


STAGES = ("evaluation", "lengths", "grid", "dictionary", "thresholds")
"""The stages of a pair in order: methods of `Stages` that return JSON."""


def signature(sizes: Sizes, seed: int) -> str:
    """Return the signature of a reproduction: what its numbers depend on besides the pairs."""
    return f"n{sizes.reported} of n{sizes.recorded} | seed {seed} | {spatial_game.__version__}"


@dataclass
class Stages:
    """The stages of one pair."""

    subject: Subject
    folder: Path
    sizes: Sizes
    seed: int

    def stored(self, name: str) -> Any:
        """Return the result of a stage from its file; if there is none, compute it and write it there."""
        path = self.folder / f"{name}.json"
        content = read_json(path)
        if content.get("key") != json.loads(json.dumps(self.key)):
            # Through JSON, so that a result is the same whether it was made now or before.
            text = to_json({"key": self.key, "result": getattr(self, name)()}, indent=1)
            write_text(path, text + "\n")
            content = json.loads(text)
        return content["result"]

    @cached_property
    def key(self) -> dict[str, Any]:
        """The key of a result: everything that it depends on."""
        return {
            "sizes": asdict(self.sizes),
            "seed": self.seed,
            "format": FORMAT,
            "version": spatial_game.__version__,
            "weights_hash": self.subject.weights_hash,
            "game": self.subject.config.to_dict(),
        }

    def rng(self, name: str) -> np.random.Generator:
        """Return the generator of a stream of this seed; streams with different names are independent."""
        return np.random.default_rng(stream(self.seed, name))

    @cached_property
    def counts(self) -> Counts:
        """The counts of the pair's recording, which is made if it does not exist."""
        path = self.folder / "recording.parquet"
        config, sender = self.subject.config, self.subject.sender
        if not path.exists() or read_recording(path, columns=()).provenance.get("key") != self.key:
            who = {"policy": "pair", "name": self.subject.name, "weights_hash": self.subject.weights_hash}
            origin = {"seed": self.seed, "stream": "recording", "sender": who, "key": self.key}
            self.folder.mkdir(parents=True, exist_ok=True)
            with RecordingWriter(path, config, origin) as writer:
                for episodes in draw_batches(config, self.sizes.recorded, self.rng("recording")):
                    writer.write(record(sender, None, episodes, config))
        return count(read_recording(path, columns=("window", "message")))

    # --- Stages ---------------------------------------------------------------------------------------

    def evaluation(self) -> dict[str, Any]:
        """How well the pair plays."""
        s, rng = self.subject, self.rng("evaluation")
        return evaluate_agents(s.sender, s.receiver, s.config, self.sizes.reported, rng, self.seed).to_dict()

    def lengths(self) -> dict[str, Any]:
        """Table 7: the same pair on shorter sequences, with the first integers and with any."""
        return {
            integers: other_lengths(self.subject, self.sizes.reported, self.seed, integers=integers).to_dict()
            for integers in get_args(Integers)
        }

    def grid(self) -> dict[str, Any]:
        """Table 1: what emerges in each cell of the grid, by both estimators."""
        return {
            name: [asdict(cell) for cell in grid(self.counts, NpmiSettings(estimator=name))]
            for name in ESTIMATORS
        }

    def dictionary(self) -> dict[str, Any]:
        """Table 3: the dictionary at the default settings."""
        lexicon = lexicon_by_npmi(self.counts)
        lexicon.write(self.folder / "lexicon.json")
        entries = [
            {
                "message": entry.form.pattern(lexicon.config.message_length),
                **{name: getattr(entry, name) for name in ("kind", "meaning", "npmi", "confidence", "count")},
            }
            for entry in lexicon.listed
        ]
        return {"entries": entries, "coverage": lexicon.coverage, "signature": lexicon.signature}

    def thresholds(self) -> dict[str, Any]:
        """Table 2, by both estimators: what the receiver understands, at thresholds chosen on other episodes.

        With minimal pairs of the composed phrases, if there are any.
        """
        s, result = self.subject, dict[str, Any]()
        for name in ESTIMATORS:
            choosing = draw_episodes(s.config, self.sizes.choosing, self.rng("choosing"))
            reporting = draw_episodes(s.config, self.sizes.reported, self.rng("reporting"))
            rng, settings = self.rng("phrases"), NpmiSettings(estimator=name)
            chosen = choose_thresholds(s, self.counts, settings, choosing, rng)
            measured = {
                kind: {
                    "threshold": cell.threshold,
                    "top_n": cell.top_n,
                    "chosen_on": cell.accuracy.to_dict(),
                    **measure_phrases(s, cell.phrases, reporting, rng),
                }
                for kind, cell in chosen.items()
            }
            exchanged = None
            if "compositional" in chosen:
                episodes = draw_episodes(s.config, self.sizes.reported, self.rng("minimal pairs"))
                table, rng = chosen["compositional"].phrases, self.rng("exchanges")
                exchanged = minimal_pairs(s.receiver, table, episodes, rng)
            result[name] = {"chosen": measured, "minimal_pairs": exchanged}
        return result


def read_metrics(metrics: Path | None) -> dict[str, list[float]]:
    """Return the episodes and validation accuracies in the metrics of a training."""
    if metrics is None or not metrics.is_file():
        return {"episodes": [], "accuracy": []}
    with metrics.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row.get("validation_accuracy")]
    return {
        "episodes": [float(row["episodes"]) for row in rows],
        "accuracy": [float(row["validation_accuracy"]) for row in rows],
    }


def read_json(path: Path) -> Mapping[str, Any]:
    """Return the JSON object in a file, or an empty one if there is none: its stage is run again."""
    try:
        content = from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}

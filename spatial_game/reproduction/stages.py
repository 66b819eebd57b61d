"""Measure everything that the paper reports on given pairs, in stages that resume.

Each stage of each pair writes a JSON file with its key (sizes, seed, weights, version). A stage whose file
has the same key is not run again. `results` reads the JSON, and `sections` makes tables and pages of it.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
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
from spatial_game.language.counting.counts import Counts, count
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.npmi.grid import grid
from spatial_game.language.npmi.settings import Estimator, Settings
from spatial_game.language.players.compose import common_symbols
from spatial_game.recording import RecordingWriter, read_recording, record
from spatial_game.reproduction.phrases.minimal_pairs import minimal_pairs
from spatial_game.reproduction.phrases.phrase_table import PhraseTable
from spatial_game.reproduction.phrases.thresholds import ThresholdReport, choose_thresholds
from spatial_game.reproduction.results import Results
from spatial_game.studies import other_lengths
from spatial_game.studies.lengths import Integers

FORMAT = 4
"""What the stages measure and store; results of another format are measured again."""
ESTIMATORS: tuple[Estimator, ...] = ("exact", "paper")
Say = Callable[[str], None]


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
    """A pair of agents with a name."""

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
    """How it was trained, if not in the way of the paper's pairs."""


def reproduce(
    subjects: Sequence[Subject], out: Path, sizes: Sizes, seed: int = 0, say: Say = lambda stage: None
) -> Results:
    """Run all stages for all pairs into the folder `out`, and return the results.

    `say` is called with each stage before it starts, even if it is not run again. Raises `ValueError` without
    pairs, and for two pairs with the same name.
    """
    names = [subject.name for subject in subjects]
    if not names or len(set(names)) < len(names):
        raise ValueError(f"subjects must be at least one pair, of different names; got {names or 'none'}")
    pairs = {s.name: of_pair(s, out, sizes, seed, say) for s in subjects}
    own = {"signature": signature(sizes, seed), "sizes": asdict(sizes), "seed": seed}
    return Results({"pairs": pairs, **own})


def of_pair(
    subject: Subject, out: Path, sizes: Sizes, seed: int = 0, say: Say = lambda stage: None
) -> dict[str, Any]:
    """Run all stages of one pair into its folder below `out`, and return its results as JSON."""
    work = _Work(subject, out / "data" / subject.name, sizes, seed, say)
    weights = f"weights {subject.weights_hash[:19]}" if subject.weights_hash else "no weights"
    return {
        "family": subject.family or subject.name,
        "recipe": subject.recipe,
        "game": subject.config.signature,
        "sequence_length": subject.config.sequence_length,
        "chance": 1 / subject.config.num_candidates,
        "weights_hash": subject.weights_hash,
        "signature": f"{subject.config.signature} | {signature(sizes, seed)} | {weights}",
        "training": read_metrics(subject.metrics),
        **{name: work.stage(name) for name in STAGES},
    }


def is_measured(subject: Subject, out: Path, sizes: Sizes, seed: int = 0) -> bool:
    """Return whether the results of all stages of a pair are in its folder below `out`."""
    work = _Work(subject, out / "data" / subject.name, sizes, seed, lambda stage: None)
    return all(is_stored(work.folder / f"{name}.json", work.key) for name in STAGES)


STAGES = ("evaluation", "lengths", "grid", "dictionary", "thresholds")
"""The stages of a pair in order: methods of `_Work` that return JSON."""


def signature(sizes: Sizes, seed: int) -> str:
    """Return the signature of a reproduction: what its numbers depend on besides the pairs."""
    return f"n{sizes.reported} of n{sizes.recorded} | seed {seed} | {spatial_game.__version__}"


def _key(sizes: Sizes, seed: int) -> dict[str, Any]:
    own = {"format": FORMAT, "version": spatial_game.__version__}
    return {"sizes": asdict(sizes), "seed": seed, **own}


def is_stored(path: Path, key: Mapping[str, Any]) -> bool:
    """Return whether a file has a result with this key."""
    return path.exists() and _read_json(path).get("key") == json.loads(json.dumps(key))


def stored(path: Path, key: Mapping[str, Any], function: Callable[[], Any]) -> Any:
    """Return the result with this key in a file; if there is none, write the result of `function` there."""
    if is_stored(path, key):
        return _read_json(path)["result"]
    # Through JSON, so that a result is the same whether it was made now or before.
    text = json.dumps({"key": key, "result": function()}, indent=1)
    write_text(path, text + "\n")
    return json.loads(text)["result"]


class _Work:
    """The stages of one pair."""

    def __init__(self, subject: Subject, folder: Path, sizes: Sizes, seed: int, say: Say) -> None:
        self.subject, self.folder, self.sizes, self.seed, self.say = subject, folder, sizes, seed, say

    def stage(self, name: str) -> Any:
        """Return the result of a stage from its file; if there is none, compute it and write it there."""
        self.say(f"{self.subject.name}: {name}")
        return stored(self.folder / f"{name}.json", self.key, getattr(self, name))

    @cached_property
    def key(self) -> dict[str, Any]:
        """The key of a result: everything that it depends on."""
        own = {"weights_hash": self.subject.weights_hash, "game": self.subject.config.to_dict()}
        return {**_key(self.sizes, self.seed), **own}

    def rng(self, name: str) -> np.random.Generator:
        """The generator of a stream of this seed; streams with different names are independent."""
        return np.random.default_rng(stream(self.seed, name))

    @cached_property
    def counts(self) -> Counts:
        """The counts of the pair's recording, which is made if it does not exist."""
        path = self.folder / "recording.parquet"
        config, sender = self.subject.config, self.subject.sender
        if not path.exists() or read_recording(path, columns=()).provenance.get("key") != self.key:
            identity = {
                "policy": "pair",
                "name": self.subject.name,
                "weights_hash": self.subject.weights_hash,
            }
            origin = {"seed": self.seed, "stream": "recording", "sender": identity, "key": self.key}
            self.folder.mkdir(parents=True, exist_ok=True)
            with RecordingWriter(path, config, origin) as writer:
                for episodes in draw_batches(config, self.sizes.recorded, self.rng("recording")):
                    writer.write(record(sender, None, episodes, config))
        return count(read_recording(path, columns=("window", "message")))

    def lexicon(self, **changes: Any) -> Lexicon:
        """The lexicon of the recording."""
        return Lexicon.from_counts(self.counts, select="npmi", **changes)

    # --- Stages ---------------------------------------------------------------------------------------

    def evaluation(self) -> dict[str, Any]:
        """How well the pair plays."""
        s = self.subject
        rng = self.rng("evaluation")
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
            name: [asdict(cell) for cell in grid(self.counts, Settings(estimator=name))]
            for name in ESTIMATORS
        }

    def dictionary(self) -> dict[str, Any]:
        """Table 3: the dictionary at the default settings."""
        lexicon = self.lexicon()
        lexicon.write(self.folder / "lexicon.json")
        entries = [
            {
                "message": entry.form.pattern(lexicon.config.message_length),
                "kind": entry.kind,
                "meaning": str(entry.referent),
                "npmi": entry.npmi,
                "confidence": entry.confidence,
                "count": entry.count,
            }
            for entry in lexicon.listed
        ]
        return {"entries": entries, "coverage": lexicon.coverage, "signature": lexicon.signature}

    def thresholds(self) -> dict[str, Any]:
        """Table 2: what the receiver understands, at thresholds chosen on other episodes."""
        s = self.subject
        result: dict[str, Any] = {}
        for name in ESTIMATORS:
            report = choose_thresholds(
                s.receiver,
                self.counts,
                draw_episodes(s.config, self.sizes.choosing, self.rng("choosing")),
                draw_episodes(s.config, self.sizes.reported, self.rng("reporting")),
                self.rng("phrases"),
                settings=Settings(estimator=name),
                sender=s.sender,
            )
            result[name] = {**report.to_dict(), "minimal_pairs": self.minimal_pairs(report)}
        return result

    def minimal_pairs(self, report: ThresholdReport) -> dict[str, Any] | None:
        """Whether both parts of the chosen cell's composed phrases affect the receiver, if there are any."""
        chosen = report.chosen.get("compositional")
        if chosen is None:
            return None
        table = PhraseTable("compositional", chosen.lexicon, fillers=common_symbols(self.counts))
        episodes = draw_episodes(self.subject.config, self.sizes.reported, self.rng("minimal pairs"))
        rng = self.rng("exchanges")
        return minimal_pairs(self.subject.receiver, table, episodes, rng).to_dict()


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


def _read_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file, or an empty one if there is none: its stage is run again."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}

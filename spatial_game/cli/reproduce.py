"""`spatial-game reproduce`: measure the paper's tables on trained pairs, and write one report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spatial_agents.pairs.names import folder_of, pair_names
from spatial_game.cli.files import require_writable
from spatial_game.cli.options import Command, GameOptions, require_at_least
from spatial_game.cli.players import indices_of_pairs, load_players, named_pairs
from spatial_game.cli.terminal import Output, progress
from spatial_game.processes import run_in_processes, usable_cores
from spatial_game.tables import Table, printable

if TYPE_CHECKING:
    from spatial_game.reproduction.stages import Sizes, Subject

PAIRS_OF_GRUS = ("embed-60", "paper-20", "paper-60")
"""Bundled pairs with the paper's kind of networks and game, which are measured by default."""
QUICK_PAIRS = 5
"""Pairs of each name that a quick reproduction measures by default: as many as a test over pairs needs."""
SECONDS, QUICK_SECONDS = 150, 25
"""What all stages of a pair took on one core of an AMD EPYC, at full sizes and with `quick`."""

SHOWN = ("Claim", "Figure", "Family", "Paper", "Here", "Difference", "Pairs", "Verdict")
"""Columns of the verdict that the terminal shows."""

PairName = tuple[str, str, int]
"""Label, name and index of a pair."""


@dataclass(frozen=True, kw_only=True)
class Reproduce(Command):
    """The options of `spatial-game reproduce`."""

    out: Path
    """Folder for report.md with figures, results.json, a CSV file for each table, and the data of stages."""
    pairs: tuple[str, ...] = ()
    """Pairs: bundled names, run folders, weights files, oracle, or own agents (module:Class); NAME alone is
    its first pair, NAME/2 the pair with index 2, NAME/all all of them. Default:
    embed-60/all paper-20/all paper-60/all."""
    quick: bool = False
    """Use fewer episodes, and, without `pairs`, at most five pairs of each name: under five minutes on two
    cores."""
    jobs: int = 0
    """Pairs that are measured at the same time; 0: one on each core."""
    seed: int = 0
    """Root of all random streams."""
    device: str = "cpu"
    """Where pairs play: auto, cpu or cuda."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Run the missing stages, and write the report."""
        from spatial_game.reproduction.report import write_report
        from spatial_game.reproduction.stages import QUICK, STAGES, Sizes, reproduce
        from spatial_game.reproduction.verdict import verdict

        require_at_least(0, jobs=self.jobs)
        require_writable("out", self.out, folder=True)
        chosen = self._chosen(list(self.pairs) or default_pairs())
        sizes = QUICK if self.quick else Sizes()
        _require_different([short_name(label, name) for label, name, _ in chosen])
        subjects = [subject(*pair, self.seed, self.device) for pair in chosen]
        output.say(self._plan(len(chosen)))
        with progress("reproducing", len(STAGES) * len(chosen)) as advance:
            self._measure(chosen, sizes, advance)
        with progress("writing the report"):
            results = reproduce(subjects, self.out, sizes, self.seed)
            pages = write_report(results, self.out)
        found = verdict(results)
        title = "Verdict: which claims of the paper these pairs replicate"
        output.table(title, compared(found), group_by="Claim")
        output.say("", f"report  {pages[0]}", f"        {pages[1]}")
        files = [str(page) for page in pages]
        return {"report": files[0], "files": files, "verdict": found.records(), **results}

    def _chosen(self, names: list[str]) -> list[PairName]:
        """Return the pairs that the names mean; in a quick run without names, the first five of each."""
        chosen = named_pairs(names)
        earlier = [[name for _, name, _ in chosen[:i]].count(pair[1]) for i, pair in enumerate(chosen)]
        kept = QUICK_PAIRS if self.quick and not self.pairs else len(chosen)
        return [pair for pair, before in zip(chosen, earlier, strict=True) if before < kept]

    def _plan(self, pairs: int) -> str:
        """Say how many pairs will be measured, and how long that takes."""
        seconds = QUICK_SECONDS if self.quick else SECONDS
        said = f"Measuring {pairs} pair{'s' * (pairs > 1)}, each in about {in_words(seconds)} on one core"
        cores = min(self._jobs, pairs)
        said += f": about {in_words(seconds * -(-pairs // cores))} on {cores}"
        return f"{said}. Finished measurements are reused."

    @property
    def _jobs(self) -> int:
        return (self.jobs or usable_cores()) if self.device == "cpu" else self.jobs or 1

    def _measure(self, chosen: list[PairName], sizes: Sizes, advance: Callable[..., None]) -> None:
        """Run the stages of each pair, several pairs at the same time; the results are in files."""
        from spatial_game.reproduction.stages import STAGES

        calls = [(pair, self.out, sizes, self.seed, self.device) for pair in chosen]
        run_in_processes(measure, calls, self._jobs, lambda name: advance(len(STAGES), name))


def compared(verdict: Table) -> Table:
    """Return the rows of a verdict that compare like with like, in fewer columns; all rows if none do."""
    names = [column.name for column in verdict.columns]
    last = names.index("Verdict")
    rows = [row for row in verdict.rows if row[last]] or verdict.rows
    kept = [names.index(name) for name in SHOWN]
    return Table(tuple(verdict.columns[i] for i in kept), tuple(tuple(row[i] for i in kept) for row in rows))


def measure(pair: PairName, out: Path, sizes: Sizes, seed: int, device: str) -> str:
    """Run the missing stages of one pair, and return its name."""
    from spatial_game.reproduction.stages import of_pair

    of_pair(subject(*pair, seed, device), out, sizes, seed)
    return pair[0]


def in_words(seconds: float) -> str:
    """Return a duration, such as 2 h 5 min."""
    minutes, hours = int(seconds / 60), int(seconds / 3600)
    if hours:
        return f"{hours} h {minutes - 60 * hours} min"
    return f"{seconds / 60:.0f} min" if minutes >= 2 else f"{seconds:.0f} s"


def subject(label: str, name: str, index: int, seed: int, device: str) -> Subject:
    """Load the pair of this name and index. Raises `ValueError` for one of grids; the paper has none."""
    from spatial_game.reproduction.stages import Subject

    players = load_players(label, GameOptions(), seed, device)
    if len(players.config.shape) > 1:
        raise ValueError(
            f"pairs must play on sequences, as the paper's do; got {label}, which plays on grids"
        )
    bundled, short = name in pair_names(), short_name(label, name)
    folder = Path(name) if indices_of_pairs(name) else Path(name).parent
    family = name if bundled else printable(folder.name) or short
    run = Path(name) / f"{index:02d}" if indices_of_pairs(name) else Path(name)
    metrics = folder_of(name) / f"{index:02d}.csv" if bundled else run / "metrics.csv"
    agents = (players.sender, players.receiver, players.config)
    recipe = players.card.get("recipe", {})
    told = (family, str(recipe.get("recipe", "")), inputs_in_words(recipe))
    return Subject(short, *agents, players.identity.get("weights_hash"), metrics, *told)


def inputs_in_words(recipe: Mapping[str, Any]) -> str:
    """Say how integers enter networks: `raw numbers` as the paper's, scaled ones, or another way."""
    inputs, reach = recipe.get("inputs", ""), recipe.get("scalar_reach")
    if inputs != "scalars":
        return str(inputs)
    return f"numbers scaled to -{reach:g}..{reach:g}" if reach else "raw numbers"


def short_name(label: str, name: str) -> str:
    """Return the name of a pair in the report; for a pair of a run, the last two parts of its path."""
    own = name not in pair_names() and name != "oracle"
    return printable("-".join(Path(label).parts[-2:])) if own else label


def default_pairs() -> list[str]:
    """Return the names of the pairs that are measured by default. Raises `ValueError` if none is bundled."""
    names = [f"{name}/all" for name in pair_names() if name in PAIRS_OF_GRUS]
    if not names:
        raise ValueError("pairs must name at least one pair, as none are bundled; got none")
    return names


def _require_different(shorts: list[str]) -> None:
    """Raise `ValueError` if two pairs would have the same name in the report."""
    for short in shorts:
        if shorts.count(short) > 1:
            raise ValueError(f"pairs must differ in the last two parts of their paths; got {short} twice")

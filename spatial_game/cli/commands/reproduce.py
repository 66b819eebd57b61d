"""`spatial-game reproduce`: measure the paper's tables on trained pairs, and write one report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cyclopts.types import Directory, NonNegativeInt

from spatial_agents.pairs.names import labels_of
from spatial_agents.pairs.pair import Pair
from spatial_game.agents import OWN, load_agents
from spatial_game.cli.options import GameCommand, require_writable
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.config import GameOptions
from spatial_game.errors import UserError
from spatial_game.files import locked
from spatial_game.processes import run_in_processes, usable_cores
from spatial_game.text import counted, printable

if TYPE_CHECKING:
    from spatial_game.reproduction.measure_pair import PairToMeasure
    from spatial_game.reproduction.results import PairResult, Results, SampleSizes

PAIRS_OF_GRUS = ("embed-60", "paper-20", "paper-60")
"""Bundled pairs with the paper's kind of networks and game, which are measured by default."""
QUICK_PAIRS = 5
"""Pairs of each name that a quick reproduction measures by default: as many as a test over pairs needs."""
SHOWN = ("Claim", "Figure", "Family", "Paper", "Ours", "Low", "High", "Pairs with it", "Difference")
SHOWN_EFFECTS = (
    *("Family", "Cell", "Part exchanged", "Pairs asked", "Pairs with phrases", "Pairs"),
    *("Beyond the radius", "Effect", "Low", "High", "Ceiling"),
)
"""Columns of the comparison, and of the effects, that the terminal shows."""


@dataclass(frozen=True, kw_only=True)
class Reproduce(GameCommand):
    """The options of `spatial-game reproduce`."""

    out: Directory
    """Folder for report.md with its figures, results.json, a CSV file for each table, and the results of
    each pair."""
    pairs: tuple[str, ...] = ()
    """Pairs: bundled names, run folders, weights files, oracle, or own agents (module:Class); NAME alone is
    its first pair, NAME/2 the pair with index 2, NAME/all all of them. Default:
    embed-60/all paper-20/all paper-60/all."""
    quick: bool = False
    """Use fewer episodes, and, without `pairs`, at most five pairs of each name: under five minutes in two
    processes (--jobs 2)."""
    jobs: NonNegativeInt | None = None
    """Pairs that are measured at the same time; 0: one on each core. Default: half of the cores that this
    process may use."""
    seed: NonNegativeInt = 0
    """Root of all random streams."""
    figures: Directory | None = None
    """Folder for figures as PDF and PNG, as wide as a column, and the paper's tables as LaTeX (booktabs)."""

    def execute(self) -> Iterator[Report]:
        """Measure the pairs, and write the report."""
        from spatial_game.reproduction.kept_results import known_result
        from spatial_game.reproduction.report import write_figures, write_report
        from spatial_game.reproduction.results import QUICK, Results, SampleSizes

        for folder in filter(None, (self.out, self.figures)):
            require_writable(folder)
        sizes = QUICK if self.quick else SampleSizes()
        labels = labels_of(self.pairs) if self.pairs else default_pairs(QUICK_PAIRS if self.quick else None)
        pairs, jobs, begun = self._different(labels), self._jobs(), Report()
        found = ((label, known_result(pair, self.out, sizes, self.seed)) for label, pair in pairs.items())
        known = {label: result for label, result in found if result}
        reused = f"; the results of {len(known)} are already in {self.out}" if known else ""
        begun.lines(f"Pairs: {len(pairs)}{reused}.")
        at_once = f"at most {jobs}, on {counted(usable_cores(), 'core')} (--jobs changes this)"
        begun.lines(f"Pairs at the same time: {at_once}.")
        yield begun
        self.out.mkdir(parents=True, exist_ok=True)
        with locked(self.out / "lock", f"out must be used by one process at a time; {self.out} is in use"):
            unknown = {label: pair for label, pair in pairs.items() if label not in known}
            known |= self._measured(unknown, sizes, jobs)
            results = Results({pair.name: known[label] for label, pair in pairs.items()}, sizes, self.seed)
            with progress("writing the report"):
                files = [*write_report(results, self.out)]
                files += write_figures(results, self.figures) if self.figures else []
        yield report_of(results, files)

    def _jobs(self) -> int:
        """Return the number of pairs to measure at the same time."""
        cores = usable_cores()
        return max(cores // 2, 1) if self.jobs is None else self.jobs or cores

    def _different(self, labels: Sequence[str]) -> dict[str, PairToMeasure]:
        """Return the pairs with these labels. Raises `ValueError` if two of them have one name."""
        pairs = {label: pair_to_measure(label, self.seed, self.game) for label in labels}
        names = [pair.name for pair in pairs.values()]
        for name in names:
            if names.count(name) > 1:
                raise UserError(f"pairs must differ in the last two parts of their paths; got {name} twice")
        return pairs

    def _measured(
        self, pairs: Mapping[str, PairToMeasure], sizes: SampleSizes, jobs: int
    ) -> dict[str, PairResult]:
        """Return the results of the pairs, which are measured in several processes, by their labels."""
        in_processes = min(jobs, len(pairs)) > 1
        sent = [label if in_processes and OWN.fullmatch(label) else pair for label, pair in pairs.items()]
        calls = [(each, self.out, sizes, self.seed, self.game) for each in sent]
        with progress("reproducing", len(pairs)) as advance:
            results = run_in_processes(measure, calls, jobs, lambda pair: advance(1, pair.name))
        return dict(zip(pairs, results, strict=True))


def default_pairs(most: int | None) -> list[str]:
    """Return the pairs that are measured by default, at most this number of each name."""
    return [label for name in PAIRS_OF_GRUS for label in labels_of([f"{name}/all"])[:most]]


def report_of(results: Results, files: Sequence[Path]) -> Report:
    """Report the paper's figures beside ours, and whether receivers compose."""
    from spatial_game.reproduction import paper
    from spatial_game.reproduction.families import families
    from spatial_game.reproduction.results import PAPERS_CELL
    from spatial_game.reproduction.tables.claims import ALL_CELLS, CLAIMS
    from spatial_game.reproduction.tables.minimal_pairs import EFFECTS

    claims, effects = (
        [row for row in table.rows(results) if row["Estimator"] in ("", "code")]
        for table in (CLAIMS, EFFECTS)
    )
    cells = ("", ALL_CELLS, PAPERS_CELL)
    of_paper = [row for row in claims if row["Paper"] is not None and row["Cell"] in cells]
    report = Report(comparison=CLAIMS.table(results).records(), **results.to_dict())
    title = (
        "The paper's figures beside ours, by the estimator of its program "
        "(table 1: mean over its cells; table 2: its cell)"
    )
    report.table(title, CLAIMS.table_of(of_paper, SHOWN), group_by="Claim")
    shown, every = {row["Family"] for row in claims}, families(results)
    if others := [family.name for family in every if family.name not in shown]:
        games = f"games with {paper.LENGTH} integers, as the paper's have"
        report.paragraphs(f"Only in the other tables, as this one is of {games}: {', '.join(others)}.")
    if any(family.num_trainings < len(family.pairs) for family in every):
        report.paragraphs("The pairs of one population were trained together, and count as one pair.")
    report.table("Do receivers compose? (by the same estimator)", EFFECTS.table_of(effects, SHOWN_EFFECTS))
    report.lines()
    report.written(*files)
    return report


def measure(
    pair: PairToMeasure | str, out: Path, sizes: SampleSizes, seed: int, game: GameOptions
) -> PairResult:
    """Return the results of a pair, as `pair_result` does.

    Agents of the user's own are loaded here by their name, as they cannot be sent to another process.
    """
    from spatial_game.reproduction.kept_results import pair_result

    return pair_result(pair_to_measure(pair, seed, game) if isinstance(pair, str) else pair, out, sizes, seed)


def pair_to_measure(label: str, seed: int, game: GameOptions) -> PairToMeasure:
    """Load the pair with this label. Raises `ValueError` for games of another kind than the paper's."""
    from spatial_game.reproduction.measure_pair import PairToMeasure

    agents = load_agents(label, seed=seed, **game)
    if len(agents.config.shape) > 1:
        raise UserError(f"pairs must play on sequences, as the paper's do; got {label}, which plays on grids")
    if agents.config.num_hidden:
        raise UserError(f"pairs must see whole windows, as the paper's do; got {label}, which sees parts")
    name = family = label
    files, population = agents.files if isinstance(agents, Pair) else None, agents.population
    recipe = agents.card.get("recipe", {})
    if files:
        name = label if files.bundled else _short(Path(label))
        family = printable(files.family(population))
    return PairToMeasure(
        name=name,
        agents=agents,
        config=agents.config,
        weights_hash=agents.identity.get("weights_hash"),
        metrics=files.metrics if files else None,
        family=family,
        population=_short(population) if population else "",
        recipe=str(recipe.get("recipe", "")),
        inputs=inputs_text(recipe),
    )


def _short(path: Path) -> str:
    """Return the last two parts of a path, as a name."""
    return printable("-".join(path.parts[-2:]))


def inputs_text(recipe: Mapping[str, Any]) -> str:
    """Say how integers enter networks: `raw numbers` as the paper's, scaled ones, or another way."""
    inputs, reach = recipe.get("inputs", ""), recipe.get("scalar_reach")
    if inputs != "scalars":
        return str(inputs)
    return f"numbers scaled to -{reach:g}..{reach:g}" if reach else "raw numbers"

"""`spatial-game reproduce`: measure the paper's tables on trained pairs, and write one report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from spatial_agents.pairs.names import folder_of, pair_names
from spatial_game.cli.files import OutFolder, ReadsPairs
from spatial_game.cli.options import Command, GameOptions, Where
from spatial_game.cli.players import indices_of_pairs, load_players, named_pairs
from spatial_game.cli.status import in_words
from spatial_game.cli.terminal import Output, by_steps, progress
from spatial_game.config import GameConfig
from spatial_game.tables import printable
from spatial_game.units import Place, Unit, run_units, usable_cores

if TYPE_CHECKING:
    from spatial_game.reproduction.stages import Sizes, Subject

PAIRS_OF_GRUS = ("embed-60", "paper-20", "paper-60")
"""Bundled pairs with the paper's kind of networks and game, which are measured by default."""
QUICK_PAIRS = 5
"""Pairs of each name that a quick reproduction measures by default: as many as a test over pairs needs."""
SECONDS, QUICK_SECONDS = 150, 25
"""What all stages of a pair took on one core of an AMD EPYC, at full sizes and with `quick`."""

SomePairs = Annotated[tuple[str, ...], ReadsPairs()]
PairName = tuple[str, str, int]
"""Label, name and index of a pair."""


@dataclass(frozen=True, kw_only=True)
class Reproduce(Command):
    """The options of `spatial-game reproduce`."""

    out: OutFolder
    """Folder for report.html, report.md, results.json, a CSV file for each table, and the data of stages."""
    pairs: SomePairs = ()
    """Pairs: bundled names, run folders, weights files, or oracle; NAME alone is its first pair, NAME/2 the
    pair with index 2, NAME/all all of them. Default: embed-60/all paper-20/all paper-60/all."""
    quick: bool = False
    """Use fewer episodes, and, without `pairs`, at most five pairs of each name: under five minutes on two
    cores."""
    where: Where = field(default_factory=Place)
    measure_only: bool = False
    """Run the stages of the pairs, and write no report. A later command with the same OUT writes it."""
    train: bool = False
    """First train pairs in OUT/runs, and measure these; an unfinished run continues."""
    trained: int = 5
    """With --train: pairs to train."""
    inputs: Literal["scalars", "embedding"] = "embedding"
    """With --train: how integers enter the networks."""
    steps: int | None = None
    """With --train: training steps of each pair. Default: the recipe's."""
    seed: int = 0
    """Root of all random streams."""
    device: str = "cpu"
    """Where pairs play and train: auto, cpu or cuda."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Run the missing stages, and write the report."""
        from spatial_game.reproduction.claims import verdict
        from spatial_game.reproduction.sections import write_pages
        from spatial_game.reproduction.stages import QUICK, STAGES, Sizes, reproduce

        chosen = self._chosen(self._train() if self.train else list(self.pairs) or default_pairs())
        sizes = QUICK if self.quick else Sizes()
        _require_different([short_name(label, name) for label, name, _ in chosen])
        subjects = [subject(*pair, self.seed, self.device) for pair in chosen]
        if not self.measure_only:
            output.say(self._plan(len(chosen)))
        with progress("reproducing", len(STAGES) * len(chosen)) as advance:
            self._measure(chosen, subjects, sizes, advance)
        if self.measure_only:
            return {"measured": [label for label, _, _ in chosen]}
        with progress("writing the report"):
            results = reproduce(subjects, self.out, sizes, self.seed)
            pages = write_pages(results, self.out)
        found = verdict(results)
        title = f"{found.title}: which claims of the paper these pairs replicate"
        output.table(title, found.table, group_by="Claim")
        output.say("", f"report  {pages[0]}", *(f"        {page}" for page in pages[1:3]))
        files = [str(page) for page in pages]
        return {"report": files[0], "files": files, "verdict": found.table.records(), **results.content}

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
        if self.where.on == "local":
            cores = min(self.where.jobs or usable_cores(), pairs) if self.device == "cpu" else 1
            said += f": about {in_words(seconds * -(-pairs // cores))} on {cores}"
        return f"{said}. Finished measurements are reused."

    def _measure(
        self, chosen: list[PairName], subjects: list[Subject], sizes: Sizes, advance: Callable[..., None]
    ) -> None:
        """Run the stages of each pair, several pairs at the same time; the results are in files."""
        from spatial_game.reproduction.stages import STAGES, is_measured, of_pair

        place = self.where
        if place.on == "local" and (len(chosen) == 1 or self.device != "cpu"):
            for each in subjects:
                of_pair(each, self.out, sizes, self.seed, partial(advance, 1))
            return
        done = [is_measured(each, self.out, sizes, self.seed) for each in subjects]
        advance(len(STAGES) * sum(done))
        units = [self._unit(*pair[:2], done=there) for pair, there in zip(chosen, done, strict=True)]
        run_units(units, self.out / "units", place, by_steps(advance))

    def _unit(self, label: str, name: str, *, done: bool) -> Unit:
        """Return the unit that measures one pair."""
        command = ["reproduce", "--measure-only", "--pairs", label, "--out", str(self.out.resolve())]
        command += ["--seed", str(self.seed), "--device", self.device, *["--quick"] * self.quick]
        return Unit(short_name(label, name).replace("/", "-"), tuple(command), done)

    def _train(self) -> list[str]:
        """Train, or continue, the pairs of this reproduction, and return their folders."""
        from spatial_agents.recipes import Recipe, TrainOptions
        from spatial_agents.training.runs import train

        options = TrainOptions(
            game=GameConfig(),
            recipe=Recipe(inputs=self.inputs, steps=self.steps),
            pairs=self.trained,
            seed=self.seed,
            out=self.out / "runs",
            device=self.device,
        )
        return [str(folder) for folder in train(options, self.where)]


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
    recipe = recipe_in_words(players.card.get("recipe", {}))
    return Subject(short, *agents, players.identity.get("weights_hash"), metrics, family, recipe)


def recipe_in_words(recipe: Mapping[str, Any]) -> str:
    """Say how a pair was trained if not as the paper's: another recipe, or inputs that are no raw numbers."""
    name, inputs, reach = (recipe.get(key) for key in ("recipe", "inputs", "scalar_reach"))
    if inputs == "scalars":
        inputs = f"numbers scaled to -{reach:g}..{reach:g}" if reach else None
    return ", ".join(part for part in (name if name != "paper" else None, inputs) if part)


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

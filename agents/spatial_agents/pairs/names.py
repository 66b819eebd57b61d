"""Where a pair is: by a bundled name, a run folder or a weights file. Nothing here loads torch.

`embed-60/3` is the pair with index 3 of that name, or of that run folder; without a number, it is index 0.
`embed-60/all` are all of its pairs. Other paths mean themselves. A bundled name comes before a local folder
of the same name; the folder's pairs are then `./embed-60` and `./embed-60/3`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from spatial_game.checks import did_you_mean, require
from spatial_game.errors import UserError
from spatial_game.game.policies import SCRIPTED
from spatial_game.json_text import from_json

DICTIONARY_ENDS = (".dictionary.json.gz", ".dictionary.json")
"""How the name of a dictionary beside the weights of a pair ends: compressed, or plain."""
PRETRAINED = Path(__file__).parents[1] / "pretrained"


@dataclass(frozen=True)
class PairFiles:
    """The weights of a pair, and the files beside them."""

    name: str
    """The bundled name, the run folder or the weights file."""
    index: int
    """Which of the pairs of that name or run it is."""
    weights: Path

    @property
    def bundled(self) -> bool:
        """Whether it is a bundled pair."""
        return self.name in bundled_names()

    def family(self, population: Path | None = None) -> str:
        """Return the name that it shares with pairs of other seeds: the bundled name, or the run folder's.

        `population` is the folder of the population that it is of, if it is of one.
        """
        path = Path(self.name).absolute()
        folder = population or (path.parent if path.suffix == ".safetensors" else path)
        one_of_several = folder.name.isdecimal() and not numbered_pairs(str(folder))
        return folder.parent.name if one_of_several else folder.name

    @property
    def card(self) -> Path:
        """The model card, if there is one."""
        return self._beside("card.json", ".json")

    @property
    def metrics(self) -> Path:
        """The metrics of the training, if there are any."""
        return self._beside("metrics.csv", ".csv")

    @property
    def dictionary(self) -> Path | None:
        """The dictionary, such as `00.dictionary.json.gz`; None without one."""
        beside = (self.weights.with_suffix(end) for end in DICTIONARY_ENDS)
        return next((path for path in beside if path.is_file()), None)

    def _beside(self, of_run: str, of_file: str) -> Path:
        trained = self.weights.name == "pair.safetensors"
        return self.weights.with_name(of_run) if trained else self.weights.with_suffix(of_file)


def bundled_names() -> list[str]:
    """Return the names of the bundled pairs, sorted."""
    return sorted({weights.parent.name for weights in PRETRAINED.glob("*/*.safetensors")})


def numbered_pairs(name: str) -> dict[int, Path]:
    """Return the weights of the pairs of a bundled name, or of a run folder with several pairs, by index.

    Pairs that did not finish have no entry; any other name has none.
    """
    folder = _path_of(name)
    files = {path.parent.name: path for path in folder.glob("*/pair.safetensors")}
    files |= {path.stem: path for path in folder.glob("*.safetensors")}
    return dict(sorted((int(number), path) for number, path in files.items() if number.isdecimal()))


def pairs_below(folder: Path) -> list[PairFiles]:
    """Return the finished pairs of all runs in a folder, and in the folders below it, in order."""
    return [PairFiles(str(path.parent), 0, path) for path in sorted(folder.rglob("pair.safetensors"))]


def unfinished_below(folder: Path) -> dict[Path, int]:
    """Return how many of its pairs are not finished, for each run in a folder that has such pairs."""
    configs = [path.parent for path in sorted(folder.rglob("config.json"))]
    runs = [run for run in configs if run.parent not in configs]  # others are pairs of a run
    missing = {run: _pairs_of_run(run) - len(pairs_below(run)) for run in runs}
    return {run: number for run, number in missing.items() if number > 0}


class Label(NamedTuple):
    """What a label means: a name, and which pairs of that name."""

    name: str
    number: int | None = None
    """The number behind the name, if there is one: the index of a pair."""
    every: bool = False
    """Whether `/all` is behind the name."""

    @classmethod
    def of(cls, text: str) -> Label:
        """Return what a text means. A path that exists means itself, unless it begins with a bundled name."""
        name, _, which = text.rpartition("/")
        if not (name and (which == "all" or which.isdecimal())):
            return cls(text)
        of_bundled = name in bundled_names()
        of_folder = not Path(text).exists() and bool(numbered_pairs(name) or pairs_below(Path(name)))
        if not (of_bundled or of_folder):
            return cls(text)
        return cls(name, every=True) if which == "all" else cls(name, int(which))


def labels_of(names: Sequence[str]) -> list[str]:
    """Return a label for each pair that the names mean (NAME/all: several), in order and without repetition.

    The folder of a population or of several runs means all of their pairs. Other names, such as `oracle`,
    stay as they are.
    """
    labels = []
    for text in names:
        name, number, every = Label.of(text)
        if named := _pairs_without_number(name):
            rule = f"{name} has pairs with names, such as {named[0]}: one must be named by its folder"
            require(number is None, rule, text)
            labels += named
            continue
        indices = list(numbered_pairs(name)) or [0]  # a run of one pair has no numbers
        for i in indices if every else [number or 0]:
            labels.append(f"{name}/{i}" if len(indices) > 1 or i else name)
    return list(dict.fromkeys(labels))


def is_pair(text: str) -> bool:
    """Return whether a label is that of a bundled pair, of a folder or of a weights file that exists."""
    path = _path_of(Label.of(text).name)
    return path.is_dir() or (path.is_file() and path.suffix == ".safetensors")


def find_pair(text: str, argument: str = "agents") -> PairFiles:
    """Return the files of one pair. Raises `ValueError` that names the argument if there is no such pair."""
    name, number, every = Label.of(text)
    if every:
        raise UserError(f"{argument} must be one pair; got {text}, which are {len(labels_of([text]))}")
    path = _path_of(name)
    if not os.path.exists(path):  # false for long names, too
        raise _unknown(text, argument)
    index = number or 0
    return PairFiles(name, index, _weights_in(name, index, argument) if path.is_dir() else path)


def _unknown(text: str, argument: str) -> UserError:
    """Return the error for a label of no pair, with the label nearest to it."""
    folder = Path(text.removesuffix("/all")).parent
    beside = [] if folder == Path() else [pair.name for pair in pairs_below(folder)]
    known = [*SCRIPTED, *bundled_names(), *beside]
    if text.endswith("/all"):
        known = [f"{name}/all" for name in {*bundled_names(), *(str(Path(each).parent) for each in beside)}]
    allowed = (
        f"a bundled pair ({', '.join(bundled_names()) or 'none is installed'}), a run folder, a weights file"
    )
    if argument in ("agents", "partner"):
        allowed = f'"oracle", "random", {allowed}, module:Class'
    return UserError(f'{argument} must be {allowed}; got "{text}"{did_you_mean(text, known)}')


def _pairs_without_number(name: str) -> list[str]:
    """Return the pairs below a folder that is no pair and no run of several: of a population, or of runs."""
    folder = Path(name)
    if name in bundled_names() or numbered_pairs(name) or (folder / "pair.safetensors").is_file():
        return []
    return [pair.name for pair in pairs_below(folder)]


def _path_of(name: str) -> Path:
    """Return the folder of a bundled name; any other name is a path."""
    return PRETRAINED / name if name in bundled_names() else Path(name)


def _weights_in(name: str, index: int, argument: str) -> Path:
    """Return the weights of a pair in a folder. Raises `ValueError` if they are not there."""
    folder = _path_of(name)
    single = folder / "pair.safetensors"
    by_index = {0: single} if single.is_file() else numbered_pairs(name)
    if index in by_index:
        return by_index[index]
    if not by_index and (below := _pairs_without_number(name)):
        one = f"one pair, such as {below[0]}" + (f", or {name}/all" if argument == "partner" else "")
        raise UserError(f"{folder} must be {one}; got {len(below)} pairs")
    if index < _pairs_of_run(folder):
        raise UserError(f"{folder}: pair {index} must be finished; continue the run with --resume {folder}")
    if not by_index:
        raise UserError(f"{argument} must be a trained pair; the folder {folder} has none (pair.safetensors)")
    indices = ", ".join(map(str, by_index))
    raise UserError(f"index must be that of a pair of {folder.name}, {indices}; got {index}")


def _pairs_of_run(folder: Path) -> int:
    """Return the number of pairs that the run in a folder trains; 0 for a folder of something else."""
    try:
        options = from_json((folder / "config.json").read_text("utf-8"))["options"]
        recipe = options.get("recipe", {})
        return int(options["pairs"]) * int(recipe.get("senders", 1)) * int(recipe.get("receivers", 1))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return 0

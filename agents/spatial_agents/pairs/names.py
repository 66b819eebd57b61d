"""Where the weights of a pair are: by a bundled name, a run folder or a file. Nothing here loads torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from spatial_game.files import LEXICON_ENDS

PRETRAINED = Path(__file__).parents[1] / "pretrained"


def pair_names() -> list[str]:
    """Return the names of the bundled pairs, sorted."""
    return sorted({weights.parent.name for weights in PRETRAINED.glob("*/*.safetensors")})


def folder_of(name: str) -> Path:
    """Return the folder of a bundled name; any other name is a path."""
    return PRETRAINED / name if name in pair_names() else Path(name)


def numbered_pairs(folder: Path) -> dict[int, Path]:
    """Return the weights of the pairs of a bundled name, or of a run of several pairs, by index.

    Pairs that did not finish have no entry.
    """
    bundled = {path.stem: path for path in folder.glob("*.safetensors")}
    trained = {path.parent.name: path for path in folder.glob("*/pair.safetensors")}
    for files in (bundled, trained):
        by_index = {int(name): path for name, path in files.items() if name.isdecimal()}
        if by_index:
            return dict(sorted(by_index.items()))
    return {}


def labels_of(names: Sequence[str]) -> list[str]:
    """Return a label for each pair that the names mean, in order and without repetition.

    NAME/3 means pair 3 of a bundled name or a run, NAME/all all of its pairs, and NAME the first, pair 0. A
    path that exists means itself.
    """
    labels = []
    for given in names:
        name, which = _split(given)
        indices = indices_of_pairs(name)
        for i in indices if which == "all" else [int(which or 0)]:
            labels.append(f"{name}/{i}" if len(indices) > 1 or i else name)
    return list(dict.fromkeys(labels))


def name_and_index(label: str) -> tuple[str, int]:
    """Return the name and the index of the pair with this label."""
    name, which = _split(label)
    return name, int(which or 0)


def _split(given: str) -> tuple[str, str]:
    """Return a name, and what stands behind it: an index, `all`, or nothing."""
    name, _, which = given.rpartition("/")
    numbered = (which == "all" or which.isdecimal()) and not Path(given).exists() and indices_of_pairs(name)
    return (name, which) if numbered else (given, "")


def indices_of_pairs(name: str) -> list[int]:
    """Return the indices of the finished pairs of a bundled name, or of a run folder with several pairs.

    Unfinished pairs have an index, too, so some indices may be missing. Any other name has none.
    """
    return list(numbered_pairs(folder_of(name))) if name else []


def weights_path(name: str, index: int | None = None) -> Path:
    """Return the weights file of a pair: that file, or that of this index in a run folder or bundled name.

    "embed-60/3" is index 3 of that name; without a number or an index, it is 0. Raises `ValueError` if there
    is no such pair, or for both.
    """
    base, which = _split(name)
    if which.isdecimal():
        if index is not None:
            raise ValueError(f"index must be left out beside the number in {name}; got {index}")
        name, index = base, int(which)
    index = index or 0
    if index < 0:
        raise ValueError(f"index must be at least 0; got {index}")
    folder = folder_of(name)
    if folder.is_file():
        return folder
    if not folder.is_dir():
        names = ", ".join(pair_names()) or "none"
        raise ValueError(f"pair must be a bundled name ({names}), a run folder or a weights file; got {name}")
    return _weights_in(folder, index)


def card_path(weights: Path) -> Path:
    """Return where the card of a pair is, if it has one."""
    return (
        weights.with_name("card.json") if weights.name == "pair.safetensors" else weights.with_suffix(".json")
    )


def metrics_path(weights: Path) -> Path:
    """Return where the metrics of a pair's training are, if they are known."""
    return (
        weights.with_name("metrics.csv")
        if weights.name == "pair.safetensors"
        else weights.with_suffix(".csv")
    )


def lexicon_path(weights: Path) -> Path | None:
    """Return the lexicon next to the weights of a pair, such as `00.lexicon.json.gz`; None without one."""
    beside = (weights.with_suffix(end) for end in LEXICON_ENDS)
    return next((path for path in beside if path.is_file()), None)


def _weights_in(folder: Path, index: int) -> Path:
    single = folder / "pair.safetensors"
    by_index = {0: single} if single.is_file() else numbered_pairs(folder)
    numbered = (each for each in folder.iterdir() if each.is_dir() and each.name.isdecimal())
    own = next((each for each in numbered if int(each.name) == index), None)
    begun, waiting = (own, index not in by_index) if own else (folder, not by_index)
    if waiting and (begun / "config.json").is_file():
        raise ValueError(f"{begun}: the run must be finished; continue it with --resume {folder}")
    if not by_index:
        raise ValueError(f"{folder}: a run folder must hold pair.safetensors; got none")
    if index > max(by_index):
        number = max(by_index) + 1
        raise ValueError(f"index must be less than {number}, the pairs of {folder.name}; got {index}")
    if index not in by_index:
        there = ", ".join(str(number) for number in by_index)
        raise ValueError(f"index must be that of a pair of {folder.name}, {there}; got {index}")
    return by_index[index]

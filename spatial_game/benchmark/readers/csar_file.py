"""Dictionaries that CSAR's own program found (Boldt and Mortensen, EMNLP 2025), from what it prints.

`write_pairs` writes a language as that program reads it, a line for each message: `[[3, 7], ["0_2", "1_5"]]`,
where 0_2 is value 2 at place 0. What the program prints for NAME.jsonl is kept as NAME.txt beside it:

    (3 7, {0_2})  0.246 0.811 0.811
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from spatial_game.benchmark.corpus import ANY, Atom, Entry, Meanings
from spatial_game.files import write_text
from spatial_game.game.episodes import IntArray
from spatial_game.language.counting.forms import Form, carriers

_LINE = re.compile(r"\((\d+(?: \d+)*), \{([^}]+)\}\)(?:\s+-?[\d.]+){3}\s*")
_ATOM = re.compile(r"(\d+)_(\d+)")


def pairs(forms: IntArray, meanings: Meanings) -> Iterator[str]:
    """Yield the lines of messages (N, T) with their meanings."""
    for form, meaning in zip(forms.tolist(), meanings.sets, strict=True):
        atoms = [f"{place}_{value}" for place, value in sorted(meaning)]
        yield json.dumps([[symbol for symbol in form if symbol != ANY], atoms]) + "\n"


def write_pairs(forms: IntArray, meanings: Meanings, path: Path) -> None:
    """Write a language for CSAR's program."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, "".join(pairs(forms, meanings)))


class CsarFile:
    """Gives what CSAR's program printed for a language; finds its file by the content of the pairs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def read(self, forms: IntArray, meanings: Meanings) -> Iterator[Entry]:
        """Return the morphemes. The confidence is the share of a form's messages that have the meaning.

        Raises `ValueError` if the folder has no such language, or a line is not one of CSAR's.
        """
        text = "".join(pairs(forms, meanings))
        path = next((p for p in sorted(self.folder.rglob("*.jsonl")) if _is(p, text)), None)
        if path is None or not path.with_suffix(".txt").is_file():
            missing = (
                "this language" if path is None else f"{path.with_suffix('.txt').name}, beside its pairs"
            )
            raise ValueError(f"{self.folder} must have {missing}; got none")
        found = [*_morphemes(path.with_suffix(".txt"))]
        padding = max([int(forms.max()), *(s for form, _ in found for s in form)]) + 1
        messages = np.where(forms == ANY, padding, forms)
        with_form = carriers([Form(form, None) for form, _ in found], messages).tocsr()
        for row, (form, meaning) in enumerate(found):
            standing = with_form.indices[with_form.indptr[row] : with_form.indptr[row + 1]]
            atoms = [(p, v) for p, v in meaning if p < meanings.values.shape[1]]
            holds = np.all([meanings.values[standing, p] == v for p, v in atoms], axis=0)
            yield Entry(form, meaning, float(np.mean(holds)) if len(standing) else 0.0)


def _is(path: Path, text: str) -> bool:
    return path.stat().st_size == len(text) and path.read_text("utf-8") == text


def _morphemes(path: Path) -> Iterator[tuple[tuple[int, ...], frozenset[Atom]]]:
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.startswith("("):  # other lines tell of progress
            match = _LINE.fullmatch(line)
            atoms = [_ATOM.fullmatch(atom) for atom in match[2].split(", ")] if match else [None]
            if match is None or None in atoms:
                raise ValueError(f"{path}: line {number} must be a morpheme of CSAR; got {line[:60]!r}")
            meaning = frozenset((int(atom[1]), int(atom[2])) for atom in atoms if atom)
            yield tuple(map(int, match[1].split())), meaning

"""Put faults into the package, one at a time, and count how many the tests see.

    python maintenance/faults.py [WORD]     # only the faults of files whose path has this word

Each fault is a line of the table below: a file, a text that stands in it once, and another text in its place,
in a copy of the package. The tests that mirror the file run first, then those of the whole folder. The script
fails unless at least 28 of 30 faults are seen. It takes some minutes.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
LEAST_SEEN = 28 / 30
MIRRORS = {  # where the tests of a file have another name
    "envs/turns.py": "envs/test_games.py",
    "language/npmi/associations.py": "language/npmi/test_analysis.py",
    "language/npmi/offsets.py": "language/npmi/test_analysis.py",
    "language/npmi/redundancy.py": "language/npmi/test_analysis.py",
    "language/npmi/significance.py": "language/npmi/test_npmi.py",
}
COUNTING, NPMI, DICTIONARY = (f"language/{name}" for name in ("counting", "npmi", "dictionary"))
FAULTS = [
    ("game/rules.py", "max(few) < bound", "max(few) <= bound"),
    ("game/rules.py", "if array.dtype.itemsize == 1 else", "if array.dtype.itemsize == 0 else"),
    ("game/rules.py", "np.equal(choices, target_index)", "np.equal(choices, 0)"),
    ("envs/turns.py", "config.message_length if symbol_per_turn else 1", "1"),
    ("envs/turns.py", 'vars(self) | {"on_end": []}', "vars(self)"),
    ("envs/turns.py", "self.episodes[game : game + 1]", "self.episodes[:1]"),
    ("envs/turns.py", "self.messages[game].copy()", "self.messages[game]"),
    (f"{COUNTING}/counts.py", "HELD_OUT - 1 - block.first_row", "HELD_OUT - block.first_row"),
    (f"{COUNTING}/counts.py", "containing[ordered[:, 0]] <= 2", "containing[ordered[:, 0]] <= 1"),
    (f"{COUNTING}/counts.py", "np.argsort(-self.message_totals", "np.argsort(self.message_totals"),
    (f"{COUNTING}/counts.py", "np.where(known[row] == asked, row, -1)", "row"),
    (f"{COUNTING}/forms.py", "incidence.data[:] = 1  #", "incidence.data[:] += 0  #"),
    (f"{COUNTING}/columns.py", "window.max() >= len(config.integers)", "window.max() > len(config.integers)"),
    (f"{NPMI}/npmi.py", "0 < word <= referent < 1", "0 < word < referent < 1"),
    (f"{NPMI}/redundancy.py", "(forms.length >= 2)", "(forms.length >= 1)"),
    (f"{NPMI}/significance.py", "np.maximum(0.0, n + m - size)", "np.maximum(0.0, n + m)"),
    (f"{NPMI}/associations.py", "forms[form] & referents[referent]", "forms[form] | referents[referent]"),
    (f"{NPMI}/associations.py", "config.message_length + 1 - forms", "config.message_length - forms"),
    (f"{NPMI}/offsets.py", "-words.length, -npmi", "words.length, -npmi"),
    (f"{DICTIONARY}/rules.py", "np.minimum(strengths[word]", "np.maximum(strengths[word]"),
    (f"{DICTIONARY}/rules.py", "(len(values) / now)", "(len(values) / before)"),
    (f"{DICTIONARY}/rules.py", ".sum(axis=1) == 0)\n", ".sum(axis=1) >= 0)\n"),
    (f"{DICTIONARY}/code.py", "2 * np.log2(size + 1)", "np.log2(size + 1)"),
    (f"{DICTIONARY}/code.py", "(inside + 0.5) / (n + 1)", "inside / (n + 1)"),
    (f"{DICTIONARY}/fit.py", "saved > most + _ROUNDING", "saved > most"),
    (f"{DICTIONARY}/noise.py", "TIMES**errors * n", "TIMES * n"),
    (f"{DICTIONARY}/senses.py", " & (share[order] > counted.chance[order])", ""),
    (f"{DICTIONARY}/belief.py", "start=chance * weight", "start=weight"),
    (f"{DICTIONARY}/places.py", "n - absent - seen.sum(axis=1)", "n - seen.sum(axis=1)"),
    (f"{DICTIONARY}/entries.py", "* episodes + 0.5)", "* episodes)"),
]


def main() -> None:
    """Print each fault with whether it is seen, then how many are."""
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    chosen = [fault for fault in FAULTS if word in fault[0]]
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ("spatial_game", "tests", "pyproject.toml"):
            put = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            put(ROOT / name, copy / name)
        for name in ("agents", "maintenance", "benchmarks"):
            (copy / name).symlink_to(ROOT / name)
        broken = [tests for tests in {mirror(copy, file) for file, *_ in chosen} if fails(copy, tests)]
        if broken:
            sys.exit(f"the tests must pass without a fault; those of {broken[0].relative_to(copy)} fail")
        seen = [is_seen(copy, *fault) for fault in chosen]
    print(f"{sum(seen)} of {len(seen)} faults are seen")
    if sum(seen) < LEAST_SEEN * len(seen):
        sys.exit(1)


def is_seen(copy: Path, file: str, old: str, new: str) -> bool:
    """Return whether a test fails with this fault."""
    path = copy / "spatial_game" / file
    text = path.read_text("utf-8")
    if text.count(old) != 1:
        raise SystemExit(f"the text of a fault must stand once in {file}; got {text.count(old)} of {old!r}")
    path.write_text(text.replace(old, new), "utf-8")
    mirroring = mirror(copy, file)
    seen = any(fails(copy, tests) for tests in (mirroring, mirroring.parent))
    path.write_text(text, "utf-8")
    print(f"{'seen    ' if seen else 'NOT SEEN'} {file}: {old.strip()!r} -> {new.strip()!r}", flush=True)
    return seen


def mirror(copy: Path, file: str) -> Path:
    """Return the tests of a file of the package."""
    folder, _, name = file.rpartition("/")
    return copy / "tests" / MIRRORS.get(file, f"{folder}/test_{name}")


def fails(copy: Path, tests: Path) -> bool:
    """Return whether one of these tests fails."""
    environment = os.environ | {"PYTHONPATH": f"{copy}{os.pathsep}{copy / 'agents'}"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", str(tests)]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, check=False)
    if done.returncode > 1:
        raise SystemExit(done.stdout.decode()[-2000:])
    return done.returncode == 1


if __name__ == "__main__":
    main()

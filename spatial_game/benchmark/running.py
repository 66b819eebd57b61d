"""Run readers on languages: each in a process of its own, within limits of time and memory.

A reader that raises, returns something else than entries, or passes a limit, loses that language only.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import json
import multiprocessing
import multiprocessing.connection
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spatial_game.benchmark.corpus import Corpus, Entry, Reader, checked
from spatial_game.benchmark.playing import play
from spatial_game.benchmark.readers import READERS
from spatial_game.benchmark.readers.csar_file import CsarFile
from spatial_game.benchmark.scores import score
from spatial_game.benchmark.suite import Task
from spatial_game.config import did_you_mean, require
from spatial_game.files import write_text

WAIT = 4
"""A reader may take this many times its processor time in all, where others use the processor as well."""
LATE, LARGE = "took longer than", "needed more than"
"""How the fault of a reader begins that passed a limit."""
Row = dict[str, Any]


@dataclass(frozen=True)
class Limits:
    """What a reader may use for one language."""

    seconds: float = 60.0
    """Processor time."""
    megabytes: int = 2_000
    """Memory, beside that of the language."""

    def __post_init__(self) -> None:
        require(self.seconds > 0, "limit must be above 0 seconds", self.seconds)
        require(self.megabytes > 0, "memory must be above 0 MB", self.megabytes)

    def to_dict(self) -> dict[str, float]:
        """Return the fields for a row of results."""
        return {"limit": self.seconds, "memory": self.megabytes}


def load_reader(name: str) -> Callable[[], Reader]:
    """Return what makes a reader, by its name, as module:Class, or as csar-file:FOLDER (see `CsarFile`).

    A module is also looked for in the current folder. Raises `ValueError` for an unknown reader.
    """
    if name.startswith("csar-file:"):
        folder = Path(name.removeprefix("csar-file:"))
        require(folder.is_dir(), "reader csar-file must name a folder", folder)
        return functools.partial(CsarFile, folder)
    module, colon, attribute = READERS.get(name, name).partition(":")
    if name in READERS:
        module = f"spatial_game.benchmark.readers.{module}"
    if not colon:
        known = ", ".join(READERS)
        hint = did_you_mean(name, READERS)
        raise ValueError(f"reader must be one of {known}, module:Class or csar-file:FOLDER; got {name}{hint}")
    if name not in READERS and os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        found: Callable[[], Reader] = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"reader {name} cannot be imported: {error}") from None
    if not callable(getattr(found, "read", None)):
        raise ValueError(f"reader must be a class with a method read; got {name}")
    return found


@dataclass(frozen=True)
class Reading:
    """What came of a reader on one language."""

    entries: tuple[Entry, ...] = ()
    seconds: float = 0.0
    fault: str = ""
    """Why there are no entries, in one line; "" if the reader finished."""


def read_within(make: Callable[[], Reader], corpus: Corpus, limits: Limits) -> Reading:
    """Return what a reader reads in a process of its own."""
    methods = multiprocessing.get_all_start_methods()
    context: Any = multiprocessing.get_context("fork" if "fork" in methods else "spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_read, args=(make, corpus, limits, theirs), daemon=True)
    process.start()
    theirs.close()
    content = None
    try:
        if ours.poll(limits.seconds * WAIT):
            content = json.loads(ours.recv_bytes())
    except EOFError:
        pass
    finally:
        if content is None and process.is_alive():
            process.join(1)
        process.kill()
        process.join()
        ours.close()
    if content is None:
        late = process.exitcode in (-9, -24)  # the limit of the system ends it with SIGXCPU or SIGKILL
        slow = f"{LATE} {limits.seconds:g} s"
        return Reading(fault=slow if late else f"ended with exit status {process.exitcode}")
    entries = tuple(Entry.from_list(each) for each in content["entries"])
    return Reading(entries, content["seconds"], content["fault"])


def _read(
    make: Callable[[], Reader], corpus: Corpus, limits: Limits, pipe: multiprocessing.connection.Connection
) -> None:
    """Read, and send the result as JSON."""
    os.dup2(2, 1)  # what a reader prints is no part of the results
    entries, fault, start = list[Entry](), "", time.process_time()
    try:
        _limit(limits)
        entries = checked(make().read(corpus.forms, corpus.meanings), corpus)
    except MemoryError:
        fault = f"{LARGE} {limits.megabytes:,} MB"
    except Exception as error:
        fault = " ".join(f"raised {type(error).__name__}: {error}".split())[:200]
    seconds = time.process_time() - start
    content = {"entries": [entry.to_list() for entry in entries], "seconds": seconds, "fault": fault}
    pipe.send_bytes(json.dumps(content).encode())


def _limit(limits: Limits) -> None:
    """Let the system end this process when it has used its time, and refuse it more memory."""
    if sys.platform == "win32":  # which has no such limits: the process ends when it is killed
        return
    import resource

    seconds = max(1, round(limits.seconds))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    status = Path("/proc/self/statm")
    used = int(status.read_text().split()[0]) * resource.getpagesize() if status.exists() else 0
    most = used + limits.megabytes * 1_000_000
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def run(
    tasks: Sequence[Task],
    readers: Sequence[str],
    out: Path,
    limits: Limits,
    report: Callable[[Task, str, Row], None] = lambda task, reader, row: None,
) -> Iterator[Row]:
    """Yield the row of each language and reader. Rows that are in the folder are not made again, if whole."""
    makers = {name: load_reader(name) for name in readers}
    for task in tasks:
        corpus: Corpus | None = None
        for name, make in makers.items():
            path = path_of(out, task, name)
            row = stored(path)
            if row is None:
                corpus = corpus or task.make()
                found = _row(read_within(make, corpus, limits), corpus)
                row = {**task.to_dict(), "reader": name, **limits.to_dict(), **found}
                write_text(path, json.dumps(row, indent=1) + "\n")
                report(task, name, row)
            yield row


def forget_faults(tasks: Sequence[Task], readers: Sequence[str], out: Path, limits: Limits) -> None:
    """Remove the rows of readers that raised, ended early, or passed limits that are not these."""
    for task, name in itertools.product(tasks, readers):
        path = path_of(out, task, name)
        row = stored(path)
        if row is not None and row["fault"]:
            passed = row["fault"].startswith((LATE, LARGE))
            if not passed or {**row, **limits.to_dict()} != row:
                path.unlink()


def stored(path: Path) -> Row | None:
    """Return a row that was written; None if there is none, or none that can be read."""
    try:
        row = json.loads(path.read_text("utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return row if isinstance(row, dict) and isinstance(row.get("fault"), str) else None


def path_of(out: Path, task: Task, reader: str) -> Path:
    """Return the file of the result of a reader on a language."""
    return out / "rows" / re.sub(r"[^\w-]+", ".", reader) / f"{task.name}.json"


def _row(reading: Reading, corpus: Corpus) -> Row:
    row: Row = {"fault": reading.fault, "seconds": round(reading.seconds, 3), "entries": len(reading.entries)}
    if corpus.pair is not None:
        return {**row, **play(reading.entries, corpus, np.random.default_rng(0))}
    return {**row, **score(reading.entries, corpus).to_dict()} if corpus.truth is not None else row

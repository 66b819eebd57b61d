"""A benchmark of readers of emergent languages: who finds what the messages mean?

A *reader* gets messages with their meanings, and returns a dictionary. `suite` lists the languages, `scores`
compares dictionaries with known answers, `running` runs readers within their limits.
"""

from spatial_game.benchmark.corpus import ANY, Corpus, Entry, Meanings, Reader
from spatial_game.benchmark.running import Limits, load_reader, run
from spatial_game.benchmark.scores import Scores, score
from spatial_game.benchmark.suite import Task, tasks

__all__ = [
    "ANY",
    "Corpus",
    "Entry",
    "Limits",
    "Meanings",
    "Reader",
    "Scores",
    "Task",
    "load_reader",
    "run",
    "score",
    "tasks",
]

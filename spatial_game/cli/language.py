"""The languages that commands read: recordings, or agents that play first; and what is reported of them."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from cyclopts import Parameter
from cyclopts.types import NonNegativeInt, PositiveInt

from spatial_agents.pairs.names import bundled_names, is_pair
from spatial_game.agents import OWN, load_agents
from spatial_game.checks import did_you_mean, require, shortened
from spatial_game.cli.options import GameCommand, sizes_of
from spatial_game.cli.playing import write_recording
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.config import GameConfig, GameOptions
from spatial_game.errors import UserError
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import SCRIPTED, Agents, name_of
from spatial_game.game.seeds import random_stream

if TYPE_CHECKING:
    from spatial_game.game.episodes import IntArray
    from spatial_game.language.counting.counts import Counts
    from spatial_game.language.dictionary.dictionary import Dictionary
    from spatial_game.language.dictionary.interpreter import Interpreter
    from spatial_game.recording import RecordingFile
    from spatial_game.tables import Table

EPISODES = 200_000
"""Episodes that agents play where no number is given."""
ASKED, HEARD = 3_000, 100_000
"""Episodes in which the receiver is asked whether symbols combine, and in which the sender was heard."""

LanguageName = Annotated[
    str,
    Parameter(
        help="A recording, a folder of recordings of one language, or agents, such as the trained pair "
        "embed-60/0, which then play."
    ),
]


# --- The language -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Language:
    """The language in recordings, or that of agents."""

    files: Sequence[Path]
    """The recordings, or the files of the pair that plays."""
    config: GameConfig
    provenances: Sequence[Mapping[str, Any]]
    """What each recording says of its origin."""
    open: Callable[[], Sequence[RecordingFile]]
    """Opens the recordings; agents play first."""
    speakers: Callable[[], Agents | None]
    """Returns the agents that speak it, if known: those that play, or the bundled pair of the recordings."""

    @property
    def senders(self) -> list[str]:
        """The names of the different senders that the recordings name."""
        senders = [origin.get("sender") for origin in self.provenances]
        named = [sender for sender in senders if isinstance(sender, dict)]
        return [name_of(sender) for i, sender in enumerate(named) if sender not in named[:i]]

    @property
    def name(self) -> str:
        """The agents that speak it, if the recordings name them; otherwise the name of the first file."""
        return ", ".join(dict.fromkeys(self.senders)) or self.files[0].name

    @property
    def symbols(self) -> tuple[str, ...]:
        """The names of the symbols."""
        from spatial_game.recording import symbol_names

        return symbol_names(self.config, self.provenances)

    def count(self) -> Counts:
        """Play if needed, and count the episodes."""
        from spatial_game.language.counting.counts import count

        recordings = self.open()
        with progress("counting"):
            return count(recordings)


def dictionary_of(counts: Counts) -> Dictionary:
    """Return the dictionary of a language that was counted."""
    from spatial_game.language.dictionary.build import build_dictionary

    with progress("describing"):
        return build_dictionary(counts)


def ask_combines(
    counts: Counts, dictionary: Dictionary, agents: Agents | None, seed: int
) -> Mapping[str, Any]:
    """Ask the receiver whether symbols combine; without agents, say that none was asked."""
    from spatial_game.language.counting.counts import count
    from spatial_game.language.dictionary.build import build_dictionary
    from spatial_game.language.page.content import NOT_ASKED
    from spatial_game.recording import record
    from spatial_game.studies.combines import combines_by

    if agents is None:
        return NOT_ASKED
    if dictionary.config.message_length < 2:
        one = "Messages have one symbol, so nothing can be combined."
        return {"verdict": "cannot say", "sentence": one, "grounds": one}
    if counts.total < HEARD:  # the verdict is on the language, however few episodes were counted
        rng = np.random.default_rng(random_stream(seed, "combines: dictionary"))
        heard = draw_episodes(agents.config, HEARD, rng)
        counts = count(record((agents.sender, None), heard, agents.config))
        dictionary = build_dictionary(counts)
    study = combines_by(dictionary, counts.messages, agents, ASKED, seed)
    return {**study.to_dict(), "sentence": study.summary}


@contextlib.contextmanager
def language_of(agents: Agents, episodes: int | None, seed: int, choices: int = 0) -> Iterator[Language]:
    """Yield the language of agents, whose episodes stay in a temporary file until the block ends.

    The receiver chooses in the first ones of them, `choices` in number: that takes long.
    """
    with tempfile.TemporaryDirectory(prefix="spatial-game-") as folder:

        def play() -> Sequence[RecordingFile]:
            recording = Path(folder) / "play.parquet"
            write_recording(agents, episodes or EPISODES, seed, recording, choices=choices)
            return open_recordings([recording])

        yield Language(agents.paths, agents.config, [{"sender": agents.identity}], play, lambda: agents)


def language_in(recordings: Sequence[RecordingFile]) -> Language:
    """Return the language in recordings."""
    return Language(
        [each.path for each in recordings],
        recordings[0].config,
        [each.provenance for each in recordings],
        lambda: recordings,
        lambda: _bundled_speakers(recordings),
    )


def open_recordings(files: Sequence[str | Path], game: GameOptions | None = None) -> list[RecordingFile]:
    """Open recordings of one game: their headers only. `game` is for files that do not name theirs.

    Raises `ValueError` for a file that does not exist, and for recordings without episodes.
    """
    from spatial_game.recording import recording_parts

    for path in map(Path, files):
        if not path.exists():
            near = did_you_mean(str(path), [*SCRIPTED, *bundled_names()])
            raise UserError(f"recording must name a file that exists, or a trained pair; got {path}{near}")
        _refuse_spreadsheet(path, game or {})
    parts = recording_parts(files, config=sizes_of(game or {}))
    if not any(part.num_rows for part in parts):
        raise UserError(f"recording must have at least one episode; got none in {files[0]}")
    return parts


def _refuse_spreadsheet(path: Path, game: GameOptions) -> None:
    """Raise `ValueError` for a spreadsheet, with the command that would import it."""
    from spatial_game.recording.files import foreign_kind

    kind, name = (path.is_file() and foreign_kind(path)) or ("", "")
    if name == "csv":
        from spatial_game.language.interchange import import_advice

        advice = import_advice(path, {}, sizes_of(game))
        raise UserError(f"{path}: must be imported, as this looks like {kind}. {advice}")


def _bundled_speakers(recordings: Sequence[RecordingFile]) -> Agents | None:
    """Return the bundled pair that played all of the recordings; None for other agents."""
    sender, *others = [part.provenance.get("sender") for part in recordings]
    if not isinstance(sender, dict) or sender.get("name") not in bundled_names():
        return None
    with contextlib.suppress(UserError, ImportError):  # it cannot play here
        agents = load_agents(f"{sender['name']}/{sender.get('index')}")
        is_of_all = all(identity == agents.identity for identity in (sender, *others))
        return agents if is_of_all and agents.config == recordings[0].config else None
    return None


# --- Commands about languages -------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class LanguagesCommand(GameCommand):
    """A command about one or several languages."""

    episodes: PositiveInt | None = None
    """Episodes that agents play. Default: 200,000."""
    seed: NonNegativeInt = 0
    """Root of the random streams: of the episodes that agents play, of resampling and of shuffling."""

    @contextlib.contextmanager
    def languages(self, *given: Sequence[str], choices: int = 0) -> Iterator[list[Language]]:
        """Yield languages, each given by the names of its recordings or of its agents (see `language_of`).

        Recordings of agents that play are there until the block ends. Raises `ValueError` for recordings that
        are missing or without episodes, and for a number of episodes where nobody plays.
        """
        if self.episodes is not None and not any(map(_are_agents, given)):
            raise UserError(f"--episodes needs agents that play, such as embed-60/0; got {self.episodes}")
        with contextlib.ExitStack() as until_the_end:
            yield [self._language(names, choices, until_the_end) for names in given]

    def _language(self, names: Sequence[str], choices: int, until_the_end: contextlib.ExitStack) -> Language:
        for name in names:
            _require_content(name)
        if not _are_agents(names):
            return language_in(open_recordings(names, self.game))
        agents = load_agents(names[0], seed=self.seed, **self.game)
        return until_the_end.enter_context(language_of(agents, self.episodes, self.seed, choices))


@dataclass(frozen=True, kw_only=True)
class LanguageCommand(LanguagesCommand):
    """A command about one language, of which there may be several recordings."""

    language: tuple[str, ...] = field(kw_only=False)
    """Recordings of one game and language, a folder of them, or agents, such as the trained pair embed-60/0,
    which then play."""


def _require_content(name: str) -> None:
    """Raise `ValueError` for no name, and for a folder in which nothing is a recording or of a run."""
    rule = "language must be recordings, a folder of them, or agents"
    require(bool(name), rule, "an empty text")
    folder = Path(name)
    if folder.is_dir() and name not in bundled_names():
        kinds = ("*.parquet", "config.json", "**/*.safetensors")
        found = any(any(folder.glob(kind)) for kind in kinds)
        require(found, rule, f"the folder {name}, which has no file *.parquet and no pair.safetensors")


def _are_agents(names: Sequence[str]) -> bool:
    """Return whether the names mean a trained pair or other agents, and not recordings."""
    first, *others = names
    if others or any(Path(first).glob("*.parquet")):  # a folder of recordings is no run folder
        return False
    return first in SCRIPTED or OWN.fullmatch(first) is not None or is_pair(first)


# --- Messages -----------------------------------------------------------------------------------------------


def messages_of(symbols: Sequence[str], names: Sequence[str], config: GameConfig) -> IntArray:
    """Return the messages (M, T) with these symbols, one after the other, by their names or numbers.

    Raises `ValueError` for other symbols, and for another number of them.
    """
    from spatial_game.language.wording import symbols_text

    numbers = {
        text: number for texts in (map(str, range(len(names))), names) for number, text in enumerate(texts)
    }
    for symbol in symbols:
        if symbol not in numbers:
            raise UserError(f"message must have symbols of {symbols_text(names)}; got {shortened(symbol)}")
    length = config.message_length
    if len(symbols) % length:
        raise UserError(f"message must have {length} symbols, or {length} for each; got {len(symbols)}")
    return np.array([numbers[symbol] for symbol in symbols]).reshape(-1, length)


# --- Parts of reports ---------------------------------------------------------------------------------------


def add_senders(report: Report, *languages: Language) -> None:
    """Report who speaks: as data, and as a warning if the recordings of a language have several senders."""
    report.data["senders"] = languages[0].senders
    for senders in (language.senders for language in languages):
        if len(senders) > 1:
            several = f"these recordings have {len(senders)} senders ({', '.join(senders)})"
            report.paragraphs(f"Warning: {several}. Their languages may differ: read them one by one.")


def add_bits(report: Report, heading: str, dictionary: Dictionary) -> None:
    """Report how many bits messages tell of each variable."""
    from spatial_game.language.dictionary.tables import bits_by_variable

    report.heading(heading)
    report.paragraphs(dictionary.bits.text)
    report.table("Bits an episode", bits_by_variable(dictionary))


def add_meaning(
    report: Report,
    means: Interpreter,
    message: IntArray,
    sentence: str,
    indent: str = "",
    *,
    in_full: bool = False,
) -> tuple[Table, str]:
    """Report what a message (T,) means, in a sentence and by its entries; return both.

    `in_full`: long sets of integers without a name have their members.
    """
    from spatial_game.language.dictionary.tables import entries_in
    from spatial_game.language.dictionary.texts import reading_text

    classes = means.in_full if in_full else means.classes
    words = reading_text(means.read(message[None])[0], classes)
    report.paragraphs(sentence.format(words), *means.legend(words), indent=indent, apart=not indent)
    table = entries_in(message, means, classes)
    title = "What its symbols say, and what the whole message adds"
    report.table(title, table, is_wrapped=in_full)  # its sets are long
    return table, words

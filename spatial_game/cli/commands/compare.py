"""`spatial-game compare`: two languages side by side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from cyclopts.types import Directory, PositiveInt

from spatial_game.cli.language import Language, LanguageName, LanguagesCommand, add_senders
from spatial_game.cli.options import TableCommand, require_writable
from spatial_game.cli.report import Report
from spatial_game.cli.terminal import progress
from spatial_game.game.policies import Agents
from spatial_game.text import counted

if TYPE_CHECKING:
    from spatial_game.language.comparison import Comparison

HEARD = 10_000
"""Episodes in which each of two languages hears the other, where no number is given."""
MAPS = (
    "map-b has the order of integers of A: where B groups the same integers, it has regions as map-a has; "
    "where it groups others, its colours are scattered. map-b-own is the same map in B's own order."
)


@dataclass(frozen=True, kw_only=True)
class Compare(LanguagesCommand, TableCommand):
    """The options of `spatial-game compare`."""

    language: LanguageName = field(kw_only=False)
    other: LanguageName = field(kw_only=False)
    episodes: PositiveInt | None = None
    """Episodes that agents play. Default: 200,000, and 10,000 to hear the other language."""
    pictures: Directory | None = None
    """Also draw the map of each language into this folder, with A's order of integers, and B's in its own."""

    def execute(self) -> Iterator[Report]:
        """Translate each language into the other, and compare what each tells, its symbols and messages."""
        with self.languages([self.language], [self.other]) as (one, other):
            require_writable(self.pictures, [*one.files, *other.files])
            report = self._compared(one, other)
        add_senders(report, one, other)
        yield report

    def _compared(self, one: Language, other: Language) -> Report:
        from spatial_game.config import require_one_game
        from spatial_game.language.comparison import compare
        from spatial_game.language.wording import bits_text
        from spatial_game.studies.sides import Side
        from spatial_game.studies.translation import translation

        require_one_game("languages", one.config, other.config)
        counts, agents = (one.count(), other.count()), (one.speakers(), other.speakers())
        with progress("comparing"):
            compared = compare(*counts)
        with progress("translating"):
            a, b = map(Side, compared.dictionaries, agents)
            understood = translation(a, b, self.episodes or HEARD, self.seed)
        report = Report(languages=(one.name, other.name), **compared.to_dict())
        report.data["translation"] = understood.to_dict()
        report.heading("Two languages side by side")
        named = zip("AB", (one, other), counts, strict=True)
        report.lines(
            "", *(f"  {side}  {each.name}, {counted(of.total, 'episode')}" for side, each, of in named)
        )
        report.paragraphs(understood.summary, *of_one_training(*agents))
        report.paragraphs(*compared.warnings)
        report.table("Who understands whom", understood.table)
        report.paragraphs(understood.key)
        _add_messages(report, compared, has_same_words=understood.results["same_words"])
        report.paragraphs(compared.text)
        report.table("What messages tell, in bits an episode", compared.table)
        report.paragraphs(bits_text(one.config))
        report.lines("", *(f"signature  {signature}" for signature in report.data["signatures"]))
        if self.pictures is not None:
            report.paragraphs(MAPS)
            report.written(*_draw_maps(compared, self.pictures))
        return report


def _add_messages(report: Report, compared: Comparison, *, has_same_words: bool) -> None:
    """Report the messages of A in B's words; or, if these are the same, what is kept, lost and added."""
    from spatial_game.language.comparison import changes, changes_text
    from spatial_game.language.dictionary.interpreter import interpreter
    from spatial_game.studies.translation_text import bilingual

    if has_same_words:
        report.paragraphs(changes_text(compared))
        name, title = "changes", "The messages whose shares differ most"
        listed, report.complete = changes(compared), changes(compared, None)
    else:
        title = "The most frequent messages of A, and in B's words (each has classes of its own)"
        name, both = "bilingual", compared.dictionaries
        listed, report.complete = bilingual(*both), bilingual(*both, None)
    report.data[name] = listed.records()
    report.table(title, listed)
    for side, dictionary in zip("AB", compared.dictionaries, strict=True):
        column = [each.name for each in listed.columns].index(f"{side} says")
        said = " ".join(str(row[column]) for row in listed.rows)
        report.paragraphs(*(f"{side}'s {line}" for line in interpreter(dictionary).legend(said)))


def _draw_maps(compared: Comparison, folder: Path) -> list[Path]:
    """Draw the first map of each language with the order of integers of the first, and the second's own."""
    from spatial_game.language.pictures.figures import map_figure, write_figures
    from spatial_game.language.pictures.maps import maps_of, offsets_by_bits
    from spatial_game.language.pictures.order import integer_orders

    a, b = compared.dictionaries
    own = integer_orders(a, offsets_by_bits(a))
    orders = {each: own.get(each, next(iter(own.values()))) for each in offsets_by_bits(b) if own} | own
    of_a, of_b = compared.counts
    drawn = {"a": maps_of(of_a, a), "b": maps_of(of_b, b, orders), "b-own": maps_of(of_b, b)}
    figures = {f"map-{name}": map_figure(maps) for name, maps in drawn.items() if maps.maps}
    return write_figures(folder, figures, f"{a.signature} | {b.signature}", "")


def of_one_training(one: Agents | None, other: Agents | None) -> list[str]:
    """Return a sentence about two different pairs of one population or one seed; none about others."""
    if one is None or other is None or one.identity == other.identity:
        return []
    if one.population is not None and one.population == other.population:
        return ["Both pairs are of one population, in which they were trained together."]
    seeds = [each.card.get("seed") for each in (one, other)]
    if seeds[0] is None or seeds[0] != seeds[1]:
        return []
    return [f"Both pairs were trained with seed {seeds[0]}: networks of one kind then begin alike."]

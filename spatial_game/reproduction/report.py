"""The report of a reproduction: one Markdown file with figures, and its tables and data beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from spatial_game.files import replacing, write_text
from spatial_game.json_text import to_json
from spatial_game.reproduction import paper, tables, verdict
from spatial_game.reproduction.inference import accuracy
from spatial_game.tables import Column, Table, markdown_text

NAMED_CURVES = 8
"""The most training curves in a plot with a legend; a longer legend would hide them."""
Draw = Callable[[Any], Any]

SECTIONS: dict[str, tuple[str, str, Callable[[tables.Results], Table]]] = {
    "verdict": ("Verdict", verdict.TEXT, verdict.verdict),
    "play": ("How well the pairs play", tables.PLAY, tables.play),
    "emergence": ("Emergence and coverage", tables.EMERGENCE, tables.emergence),
    "edges": ("Messages for edges, by pair", tables.EDGES, tables.edges),
    "translation_brief": ("Translation accuracy in brief", tables.BRIEF, tables.translation_brief),
    "translation": ("Translation accuracy, by pair", tables.TRANSLATION, tables.translation),
    "minimal_pairs": ("Do receivers compose?", tables.EXCHANGED, tables.minimal_pairs),
    "hypotheses": ("The two hypotheses", tables.HYPOTHESES, tables.hypotheses),
    "dictionary": ("Dictionary", tables.DICTIONARY, tables.dictionary),
    "lengths": ("Shorter sequences", tables.LENGTHS, tables.lengths),
}
"""Title, text and table of each section, by the name of its CSV file."""


def write_report(results: tables.Results, out: Path) -> list[Path]:
    """Write report.md with its figures, results.json and a CSV file for each table; return the paths."""
    made = {name: table(results) for name, (_, _, table) in SECTIONS.items()}
    drawn = {name: [*draw(results)] for name, draw in FIGURES.items()}
    for name, figures in drawn.items():
        for i, (_, draw) in enumerate(figures):
            save(draw, out / _file_of(name, i))
    parts = [f"# {paper.TITLE}\n", paper.INTRODUCTION + "\n", f"`{results['signature']}`\n"]
    for name, (title, text, _) in SECTIONS.items():
        parts += [f"## {title}\n", markdown_text(text) + "\n", made[name].to_markdown()]
        figures = drawn.get(name, [])
        parts += [f"![{caption}]({_file_of(name, i)})\n" for i, (caption, _) in enumerate(figures)]
    pages = {
        "report.md": "\n".join(parts),
        "results.json": to_json(results, indent=1) + "\n",
        **{f"{name}.csv": _with_signatures(table, results).to_csv() for name, table in made.items()},
    }
    for name, text in pages.items():
        write_text(out / name, text)
    return [out / name for name in pages]


def _file_of(section: str, number: int) -> str:
    return f"{section}-{number + 1}.png"


def _with_signatures(table: Table, results: tables.Results) -> Table:
    """Return the table with a column that says what the numbers of each row depend on."""
    names = [column.name for column in table.columns]
    at = names.index("Pair") if "Pair" in names else 0
    signatures = {name: pair["signature"] for name, pair in results["pairs"].items()}
    rows = tuple((*row, signatures.get(str(row[at]), results["signature"])) for row in table.rows)
    return replace(table, columns=(*table.columns, Column("Signature")), rows=rows)


# --- Figures ----------------------------------------------------------------------------------------------


def save(draw: Draw, path: Path) -> None:
    """Draw a plot into a PNG file."""
    from matplotlib.figure import Figure  # here, as it loads slowly

    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    draw(figure.add_subplot())
    with replacing(path) as temporary:
        figure.savefig(temporary, format="png", dpi=110)


def training_curves(results: tables.Results) -> Iterator[tuple[str, Draw]]:
    """Yield the training of each family: caption and plot."""
    for family, pairs in verdict.families(results).items():
        known = {name: pair for name, pair in pairs.items() if pair["training"]["episodes"]}
        if known:
            yield f"{family}: accuracy on the full game during training, {len(known)} pairs", _curves(known)


def _curves(pairs: Mapping[str, Any]) -> Draw:
    from spatial_game import figures

    def draw(axis: Any) -> None:
        for name, pair in pairs.items():
            label, curve = name if len(pairs) <= NAMED_CURVES else "", pair["training"]
            figures.training_curve(axis, curve["episodes"], curve["accuracy"], pair["chance"], label)

    return draw


def accuracy_bars(results: tables.Results) -> Iterator[tuple[str, Draw]]:
    """Yield how well phrases of each type are understood in the first pair of each family."""
    from spatial_game import figures

    for family, pairs in verdict.families(results).items():
        name, pair = next(iter(pairs.items()))
        bars = {
            f"{kind.replace('_', ' ')}, {estimator}": [
                ("false phrase", accuracy(chosen["report"]["floors"].get("shuffled"))),
                ("random true phrase", accuracy(chosen["reported"])),
                ("the sender's message", accuracy(chosen["report"]["ceiling"])),
            ]
            for estimator, found in pair["thresholds"].items()
            for kind, chosen in found["chosen"].items()
        }

        def draw(axis: Any, bars: Any = bars, chance: float = pair["chance"]) -> None:
            figures.accuracy_bars(axis, bars, chance)

        if bars:
            yield f"{family}: share of the episodes in which the receiver of {name} finds the target", draw


FIGURES: dict[str, Callable[[tables.Results], Iterator[tuple[str, Draw]]]] = {
    "play": training_curves,
    "translation": accuracy_bars,
}
"""The figures of sections."""

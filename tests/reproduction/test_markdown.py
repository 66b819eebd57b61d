"""The report: one Markdown file with figures, and its tables and data beside it."""

import csv
import json

from reproductions import family

from spatial_game.reproduction import markdown


def test_the_report_is_markdown_with_figures_and_a_csv_for_each_table(results, tmp_path):
    pages = markdown.write_report(family(results, training=[(1e6, 0.5), (2e6, 0.75)]), tmp_path)
    text = (tmp_path / "report.md").read_text("utf-8")
    for title, _, _ in markdown.SECTIONS.values():
        assert f"\n## {title}\n" in text
    for name in ("play-1.png", "translation-1.png"):
        assert f"]({name})" in text
        assert (tmp_path / name).read_bytes().startswith(b"\x89PNG")
    assert results.signature in text
    for name in markdown.SECTIONS:
        rows = list(csv.DictReader((tmp_path / f"{name}.csv").read_text("utf-8").splitlines()))
        assert all("seed 1" in row["Signature"] for row in rows)
    assert "weights abc" in (tmp_path / "translation.csv").read_text("utf-8")
    assert json.loads((tmp_path / "results.json").read_text("utf-8"))["seed"] == 1
    assert {page.name for page in pages} >= {"report.md", "results.json", "verdict.csv"}

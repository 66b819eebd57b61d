"""`npmi`: the paper's table. (Labels of one's own: test_own_functions.py.)"""

import json
from pathlib import Path

import pyarrow.parquet as pq


def test_every_format_has_the_words_of_the_paper(files, text):
    for name, begins in {"markdown": "| Message | Type |", "csv": "Message,Type,"}.items():
        shown = text(f"npmi play.parquet --format {name}")
        assert shown.startswith(begins)
        assert "? is 2 left of target" in shown
        assert "n-grams for every integer" not in shown
    shown = text("npmi play.parquet")
    assert shown.startswith("\nN-grams and referents: ")
    assert "threshold  0.5; n-grams for every integer at one offset have 0.65 in this game" in " ".join(
        shown.split(" ")
    )
    assert "n-grams for every integer" not in text("npmi play.parquet --estimator code")


def test_the_papers_table_is_written(files, result):
    found = result("npmi play.parquet --min-confidence 0.9 --out table.json")
    table = json.loads(Path("table.json").read_text("utf-8"))
    assert (found["written"], found["entries"]) == (["table.json"], len(table["associations"]))
    assert found["coverage"] == table["types"]["readable"]["episodes"] == 1.0
    assert table["settings"]["min_confidence"] == 0.9
    assert sum("edge" in entry["referent"] for entry in table["associations"]) == 4
    assert {row["type"] for row in found["types"]} >= {"Compositional Integer", "Compositional Positional"}
    assert found["table"][0]["p"] < 1e-9


def test_a_file_without_its_game_is_read_when_told_the_game(files, result, error):
    table = pq.read_table("play.parquet").select(["window", "message"]).replace_schema_metadata(None)
    pq.write_table(table, "foreign.parquet")
    assert "give sequence_length and vocab_size" in error("analyse foreign.parquet")
    assert "--episodes needs agents that play" in error("analyse play.parquet --episodes 7")
    line = "npmi foreign.parquet --sequence-length 60 --vocab-size 26"
    assert result(line)["coverage"] == 1.0

"""How programs make tables: all rows, or those that are missing."""

import pytest
import rows

KEYS = [{"game": game, "seed": str(seed)} for game in ("small", "large") for seed in range(2)]


def test_a_table_is_continued_where_its_program_was_stopped(tmp_path, capsys):
    path, made = tmp_path / "table.csv", []

    def make(game, seed):
        if len(made) == 3:
            raise KeyboardInterrupt
        made.append((game, seed))
        return [{"step": str(step)} for step in range(2)]

    with pytest.raises(KeyboardInterrupt):
        rows.resumed(path, KEYS, make)
    assert [row["step"] for row in rows.read(path)] == ["0", "1"] * 3
    made.clear()
    table = rows.resumed(path, KEYS, make)
    assert made == [("large", "1")]
    assert table == rows.read(path) == [key | {"step": str(step)} for key in KEYS for step in range(2)]
    assert capsys.readouterr().err.splitlines() == [f"{key['game']} {key['seed']} 1" for key in KEYS]


def test_a_table_without_a_file_is_made_whole():
    assert rows.resumed(None, KEYS, lambda game, seed: [{"step": "0"}]) == [
        {**key, "step": "0"} for key in KEYS
    ]


def test_pairs_are_named_by_their_families():
    assert rows.pairs_of("paper-20", "grid-8x8") == ["paper-20/0", *(f"grid-8x8/{i}" for i in range(3))]
    assert {*map(rows.family_of, rows.pairs_of())} > {"embed-60", "paper-60"}

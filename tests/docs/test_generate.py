"""What the documentation makes from the code refuses to be incomplete."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
import api
import generate

import spatial_game.language


def test_a_public_name_that_the_api_lacks_is_found() -> None:
    everything = dict.fromkeys(api.names())
    assert api.undocumented(everything) == []
    del everything["spatial_game.language.lexicon.lexicon.Lexicon"]
    assert api.undocumented(everything) == ["spatial_game.language.lexicon.lexicon.Lexicon"]


def test_the_api_has_a_page_for_each_module_and_every_name_offered_has_a_home() -> None:
    pages = api.pages()
    assert {"api.md", "api/spatial_game.config.md", "api/spatial_game.game.episodes.md"} <= set(pages)
    assert not any(".cli" in name for name in pages)
    for package in (spatial_game, spatial_game.language):
        offered = api.modules()[package.__name__].offered
        assert set(offered) == set(package.__all__) - {"__version__"}
        for name, home in offered.items():
            module = api.modules()[home.rpartition(".")[0]]
            assert name in module.names
            assert f"`{name} <{home}>`" in pages["api.md"]


def test_names_link_where_they_can_mean_one_thing_only() -> None:
    targets = api.targets()
    home = "spatial_game.game.episodes.draw_episodes"
    assert targets["draw_episodes"] == targets["spatial_game.draw_episodes"] == targets[home] == home
    assert "count" not in targets  # a column, and a key of JSON, too
    assert "spatial_game.language" in targets


def test_a_table_in_a_docstring_becomes_one_of_restructuredtext() -> None:
    lines = ["Before.", "", "| a | `b` |", "|---|--:|", "| 1 | x |", "", "After."]
    api.tables_in_docstring(None, "module", "any", None, None, lines)
    rows = ["   * - a", "     - `b`", "   * - 1", "     - x"]
    assert lines == ["Before.", "", "", ".. list-table::", "   :header-rows: 1", "", *rows, "", "After."]


def test_every_version_of_an_environment_has_its_note(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in generate.ENVIRONMENTS:
        assert generate.version_history(name).startswith("- v0: ")
    monkeypatch.setitem(generate.HISTORY, "referential", {})
    with pytest.raises(ValueError, match="must have a note for each version of referential"):
        generate.version_history("referential")


def test_a_table_holds_what_would_break_it() -> None:
    assert generate.table(("a", "b"), ("x|y", "1\n2")) == "| a | b |\n| --- | --- |\n| x\\|y | 1 2 |\n"


def test_the_environments_tables_say_what_the_spaces_are() -> None:
    facts = generate.environment_facts("referential")
    for words in (
        "`MultiDiscrete([26] * 3)`",
        "`Discrete(5)`",
        "`(68,)`",
        "-1 to 59, float32",
        "`sender_0`, `receiver_0`",
    ):
        assert words in facts
    assert "| `sequence_length` | `60` |" in generate.arguments_table()


def test_the_commands_of_pairs_are_one_for_all_that_differ_in_the_seed() -> None:
    cards = {
        Path(f"tiny/{index:02d}.json"): {"command": f"train --steps {steps} --seed {seed} --out runs/{index}"}
        for index, (steps, seed) in enumerate([(10, 4), (10, 5), (20, 6), (10, 7)])
    }
    assert generate.training_commands(cards) == [
        ("`tiny` 0 to 1, 3", "`train --steps 10`, 4 to 5, 7"),
        ("`tiny` 2", "`train --steps 20`, 6"),
    ]

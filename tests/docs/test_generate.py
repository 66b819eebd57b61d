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
    del everything["spatial_game.language.dictionary.lexicon.Lexicon"]
    assert api.undocumented(everything) == ["spatial_game.language.dictionary.lexicon.Lexicon"]


def test_the_api_has_a_page_for_each_module_and_every_name_offered_has_a_home() -> None:
    pages = api.pages()
    assert {"api.md", "api/spatial_game.config.md", "api/spatial_game.game.episodes.md"} <= set(pages)
    assert not any(".cli" in name for name in pages)
    for package in (spatial_game, spatial_game.language):
        offered = api.modules()[package.__name__].offered
        assert set(offered) == set(package.__all__) - {"__version__"}
        for name, home in offered.items():
            assert home in api.names()
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


def test_indented_lines_in_a_docstring_become_a_block_of_code() -> None:
    lines = ["Before.", "", "    code = 1", "", "    more = 2", "", "- an item", "", "    of two paragraphs"]
    api.code_in_docstring(None, "module", "any", None, None, lines)
    assert lines == ["Before.", "", "::", "", "    code = 1", "", "    more = 2", *lines[7:]]
    assert lines[7:] == ["", "- an item", "", "    of two paragraphs"]


def test_signatures_have_the_names_of_types() -> None:
    signature = "(games: TypeAliasForwardRef('IntArray') | None)"
    assert api.plain_signature(signature, None) == ("(games: IntArray | None)", None)


def test_every_version_of_an_environment_has_its_note(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in generate.ENVIRONMENTS:
        assert generate.version_history(name).startswith("- v0: ")
    monkeypatch.setitem(generate.HISTORY, "referential", {})
    with pytest.raises(ValueError, match="must have a note for each version of referential"):
        generate.version_history("referential")


def test_the_environments_tables_say_what_the_spaces_are() -> None:
    assert "| Agents | `sender_0`, `receiver_0` |" in generate.environment_facts("referential")
    spaces = generate.environment_spaces("referential")
    for row in (
        "| `sender_0` | `0:5` | window, -1 at the mask | -1 to 59 |",
        "| `receiver_0` | `0:3` | message, -1 before it is sent | -1 to 25 |",
        "|  | `3:63` | sequence | 0 to 59 |",
        "|  | `63:68` | candidates | 0 to 59 |",
        "|  | `5:73` | what `receiver_0` sees |  |",
        "| `sender_0` | `MultiDiscrete([26] * 3)` | the message, a symbol in each slot |",
        "| `receiver_0` | `Discrete(5)` | the choice, an index of the candidates |",
    ):
        assert row in spaces
    assert "|  | `5:8` | own message, -1 in the slots to come | -1 to 25 |" in generate.environment_spaces(
        "referential_symbol"
    )
    roles = generate.role_spaces()
    assert "| `SenderSymbol-v0` | `0:5` | window, -1 at the mask | -1 to 59 |" in roles
    assert "| `SenderSymbol-v0` | `Discrete(26)` | 3 |" in roles


def test_the_tables_of_arguments_have_every_argument() -> None:
    arguments = generate.arguments_table()
    for argument in ("sequence_length` | `60`", "render_mode` | `None`", "observations` | `'flat'`"):
        assert f"| `{argument} |" in arguments
    assert "| `partner` | `'oracle'` |" in generate.arguments_table(generate.RoleEnv)

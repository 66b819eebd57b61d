"""The tables of results say what the stored results say."""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
import results  # noqa: E402

from spatial_game.config import GameConfig  # noqa: E402


def test_a_table_holds_what_would_break_it() -> None:
    expected = "| a | b |\n| --- | --: |\n| x\\|y | 1 2 |\n"
    assert results.table(("a", "b"), ("x|y", "1\n2"), right=(1,)) == expected


def test_shares_are_told_by_mean_worst_and_best() -> None:
    assert results.spread([0.5, 0.7]) == "60.0% (50.0% to 70.0%)"
    assert results.spread([0.25]) == "25.0%"


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two seeds of one baseline: one reaches 90%, one does not."""
    folder = tmp_path / "baselines"
    folder.mkdir()
    rows = [
        *(("small", "gumbel", 0, *point) for point in ((0, 0, 0.3), (10, 1, 0.92), (20, 2, 0.96))),
        *(("small", "gumbel", 1, *point) for point in ((0, 0, 0.3), (10, 1, 0.5), (20, 4, 0.6))),
        *(("small", "plain", 0, *point) for point in ((0, 0, 0.3), (10, 1, 0.5))),
    ]
    with (folder / "curves.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("game", "baseline", "seed", "episodes", "seconds", "accuracy"), *rows])
    game = {"config": GameConfig(8).to_dict()}
    (folder / "settings.json").write_text(json.dumps({"games": {"small": game, "paper-20": game}}))
    monkeypatch.setattr(results, "STATIC", tmp_path)


@pytest.mark.usefixtures("stored")
def test_the_tables_of_baselines_are_made_from_their_curves() -> None:
    table = results.baseline_table("small")
    assert "| `gumbel` | 78.0% (60.0% to 96.0%) | 10 (1 of 2 seeds) |" in table
    assert "| `plain` | 50.0% | never |" in table
    assert "| `gumbel` | 2 | 20 | 3 |" in results.baseline_costs("small")
    assert results.baseline_games()["small"] == GameConfig(8)


def test_minutes_are_told_by_least_and_most() -> None:
    assert results.minutes([60, 120, None]) == "1.0 to 2.0 (2 of 3)"
    assert results.minutes([60, 61]) == "1.0"
    assert results.minutes([None]) == "never"


def test_the_table_of_the_default_game_is_made_from_its_curves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "baselines").mkdir()
    rows = ["0,0,0,0.2", "0,1000000,60,0.6", "0,2000000,90,0.95", "1,0,0,0.2", "1,3000000,120,0.55"]
    text = "\n".join(["curve,seed,episodes,seconds,accuracy", *(f"receiver,{row}" for row in rows)])
    (tmp_path / "baselines" / "default.csv").write_text(text)
    monkeypatch.setattr(results, "STATIC", tmp_path)
    told = "1.5 to 2.0 | 2.0 to 3.0 | 75.0% (55.0% to 95.0%) | 1.5 (1 of 2) | 1.5 (1 of 2) | never |"
    assert f"| the receiver; the oracle sends | 2 | {told}" in results.default_game()


def test_the_expected_returns_name_the_game_of_each_figure() -> None:
    _, _, *rows = results.expected_returns().splitlines()
    assert "| 0.200 |" in rows[1]
    assert all("integers" in row or "any" in row for row in rows)
    points = results.read_csv(ROOT / "docs" / "_static" / "baselines" / "curves.csv")
    lines = [row for row in points if (row["game"], row["baseline"]) == ("small", "ppo-sender")]
    ends = {row["seed"]: float(row["accuracy"]) for row in lines}
    mean = sum(ends.values()) / len(ends)
    assert f"| {mean:.3f} ({len(ends)} seeds) |" in next(row for row in rows if "PPO sender" in row)


def test_a_first_training_is_told_by_role_and_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "STATIC", tmp_path)
    assert "experiments/first_training.py" in results.first_training()
    (tmp_path / "training").mkdir()
    rows = "receiver,features,0,100,0.9,1\nreceiver,features,1,100,1.0,1\n"
    stored = tmp_path / "training" / "first_training.csv"
    stored.write_text("role,policy,seed,steps,accuracy,seconds\n" + rows)
    table = results.first_training()
    assert "8 integers, 3 candidates, 2 symbols of 8). Chance is 33%." in table
    assert "| `Receiver-small-v0` | `MlpPolicy` with `features` | 100 | 95.0% (90.0% to 100.0%) |" in table


def test_a_first_training_learns_as_the_page_promises() -> None:
    rows = results.read_csv(results.STATIC / "training" / "first_training.csv")
    kept = [row for row in rows if (row["role"], row["policy"]) == ("receiver", "features")]
    assert {row["seed"] for row in kept} == {"0", "1", "2"}
    assert all(row["steps"] == "100352" for row in kept)
    assert sum(float(row["accuracy"]) for row in kept) / len(kept) >= 0.95


def test_the_first_code_of_the_readme_learns_as_it_says() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    rows = results.read_csv(results.STATIC / "training" / "first_curve.csv")
    for policy in ("features", "plain"):
        won = [float(r["accuracy"]) for r in rows if (r["policy"], r["steps"]) == (policy, "12288")]
        assert len(won) == 5
        assert f"{sum(won) / len(won):.0%}" in readme
    assert "12,288 steps" in readme


def test_every_library_has_an_example_pins_and_a_result() -> None:
    pinned = {path.stem for path in (ROOT / "tests" / "compat").glob("*.txt")} - {"pettingzoo"}
    learnt = {row["library"] for row in results.read_csv(results.STATIC / "libraries" / "learnt.csv")}
    assert pinned == learnt == set(results.LIBRARIES)
    assert all(results.version(library) for library in pinned - {"cleanrl"})
    assert "Chance is 50%" in results.libraries()


def test_the_commands_of_pairs_are_one_for_all_that_differ_in_the_seed() -> None:
    cards = {
        Path(f"tiny/{index:02d}.json"): {"command": f"train --steps {steps} --seed {seed} --out runs/{index}"}
        for index, (steps, seed) in enumerate([(10, 4), (10, 5), (20, 6), (10, 7)])
    }
    assert results.training_commands(cards) == [
        ("`tiny` 0 to 1, 3", "`train --steps 10`, 4 to 5, 7"),
        ("`tiny` 2", "`train --steps 20`, 6"),
    ]


def test_the_tables_of_studies_say_what_evaluate_found() -> None:
    table = results.lengths(60, 20)
    first, *_ = results.evaluated("lengths")
    found = first["lengths_any_integers"]["shortened_by"]
    whole, shorter = found["0"]["accuracy"], found["40"]["difference"]
    row = next(line for line in table.splitlines() if "| 60, `embed-60` | any |" in line)
    assert f"| {whole:.2%} |" in row
    assert row.endswith(f"| {100 * shorter:+.2f} pp |")
    assert "| 60, the paper | first | 92.98% | +0.30 pp | -0.30 pp | -2.47 pp | -15.80 pp |" in table
    assert "| 100, embeddings | first | 98.30% |" in results.lengths(40, 100)
    table, (first, *_) = results.noise(), results.evaluated("noise")
    assert f"| 10% | 72.9% | {first['noise']['by_rate'][4]['accuracy']:.1%} |" in table
    assert "| the last symbol always, the others never | 0% |" in table


def test_stored_results_are_of_the_bundled_pairs() -> None:
    hashes = {card["weights_hash"] for card in results.cards().values()}
    assert {
        pair["weights_hash"] for study in ("lengths", "noise") for pair in results.evaluated(study)
    } <= hashes


def test_the_table_of_bits_has_every_pair_and_says_how_stable_it_is() -> None:
    table = results.message_bits()
    rows = [line.split("`")[1] for line in table.splitlines() if line.startswith("| `")]
    names = {row.split("/")[0] for row in rows}
    assert names == {"embed-60", "local-60", "paper-20", "paper-60"}
    assert rows == [f"{p.parent.name}/{int(p.stem)}" for p in results.cards() if p.parent.name in names]
    assert "| `paper-60/0` | 1,982 | 10.54 | 0.11 | **5.43** | **4.74** | 0.07 |" in table
    assert "from 400,000 windows. With half of them, the bold figures change by at most 0.1" in table


def test_the_tables_of_composition_have_a_row_for_each_game_and_number_of_visible_neighbours() -> None:
    groups = results.composition()
    for made in (results.composition_messages(), results.composition_receivers()):
        assert len(made.splitlines()) == 2 + len(groups)
    (row,) = [
        line for line in results.composition_messages().splitlines() if "| 20 integers | 1 of 4 |" in line
    ]
    assert f"| {len(groups['20', '1'])} |" in row
    assert "of 4.3 |" in row
    assert "of 2.0 |" in row
    (row,) = [
        line for line in results.composition_receivers().splitlines() if "| 20 integers | 1 of 4 |" in line
    ]
    assert "| -27%" in row
    assert "| +26%" in row


def test_no_pair_of_the_experiment_on_composition_composes_as_its_page_says() -> None:
    rows = [row for rows in results.composition().values() for row in rows]
    assert all(float(row["split"]) < 0.1 for row in rows)
    assert all(min(float(row[f"{part}_effect"] or 0) for part in ("integer", "offset")) < 0.1 for row in rows)
    middle = results.composition_middle()
    assert set(middle) == {(row["game"], row["visible"], row["seed"]) for row in rows}
    assert all(float(row["never_seen"]) < (0.6 if row["game"] == "8x8" else 0.45) for row in middle.values())
    in_sequences = [float(row["never_seen"]) for (game, _, _), row in middle.items() if game != "8x8"]
    assert sum(in_sequences) / len(in_sequences) < 0.2
    full = [float(row["never_seen"]) for (_, visible, _), row in middle.items() if visible == "all"]
    assert sum(full) / len(full) < 0.2


def test_the_recipe_landmark_composes_as_its_page_says() -> None:
    found = results.read_csv(results.STATIC / "findings" / "landmark.csv")
    own = [row for row in found if (row["networks"], row["game"]) == ("landmark", "60")]
    assert [row["seed"] for row in own] == ["0", "1", "2"]
    for row in own:
        assert all(float(row[name]) > 0.9 for name in ("integer_effect", "offset_effect", "never_seen"))
    rows = results.landmark().splitlines()
    assert rows[2].startswith("| `landmark` | 60 integers | 1 of 4 | 3 | ")
    assert rows[-1].startswith("| `local` | 60 integers | 1 of 4 | ")


def test_the_table_of_pairs_has_their_mean_and_range() -> None:
    table = results.pairs()
    accuracies = [card["evaluation"]["accuracy"] for card in results.cards("embed-60").values()]
    assert len(accuracies) == 16
    row = next(line for line in table.splitlines() if line.startswith("| `embed-60` | 16 |"))
    assert f"| 16 | {results.spread(accuracies)} | 60 integers" in row
    assert "; curriculum; scalars, scaled to -8..8 |" in table


def test_a_stored_table_keeps_its_cells_and_puts_numbers_to_the_right(tmp_path: Path) -> None:
    stored = tmp_path / "any.csv"
    stored.write_text('What,Count,Time\nplain,"1,200",2 s\n"a, b",,1.5 to 2.1\n')
    rows = results.measured(stored).splitlines()
    assert rows[:2] == ["| What | Count | Time |", "| --- | --: | --: |"]
    assert rows[2:] == ["| plain | 1,200 | 2 s |", "| a, b |  | 1.5 to 2.1 |"]


def test_the_table_of_minutes_has_every_pair_once_and_counts_those_that_reached_an_accuracy() -> None:
    rows = [line.strip("| ").split(" | ") for line in results.pace().splitlines()[2:]]
    numbers = [number for row in rows for number in row[0].split("` ")[1].split(", ")]
    pairs = [int(end) - int(start or end) + 1 for start, _, end in (n.rpartition(" to ") for n in numbers)]
    assert sum(pairs) == len(results.cards())
    embedding = next(row for row in rows if row[0].startswith("`embed-60` 0 to 15"))
    late = [
        results.soonest(results.read_csv(p.with_suffix(".csv")), 0.995) for p in results.cards("embed-60")
    ]
    count = sum(seconds is not None for seconds in late)
    assert embedding[5].endswith(f"({count} of 16)")
    assert results.soonest([{"seconds": "60", "validation_accuracy": "0.9"}], 0.9) == 60
    assert results.minutes([None, None]) == "never"


def test_the_tables_of_the_reproduction_say_what_it_wrote() -> None:
    rows = {(row["Pair"], row["Who"]): row for row in results.reproduced("readers")}
    read = float(rows["embed-60/2", "reader: dictionary"]["Covered"])
    assert re.search(rf"\| `embed-60/2` \| [\d.]+% \| {read:.1%} \|", results.readers())
    assert len(results.readers().splitlines()) == 2 + len({pair for pair, _ in rows})
    assert "| Compositional-P | exact | 25 of 32 | 25.9% (24.4% to 27.4%) | 36.2% | 2 | 30.0%, 78.0% |" in (
        results.translation()
    )
    assert "| Non-Compositional Integer | exact | 32 | 6 of 32 | 2: 4, 3: 2, 5: 6, 10: 9, 15: 5 |" in (
        results.best_cells()
    )
    assert "| `embed-60` | 5 of 16 | 16 of 16 | 0 of 16 |" in results.edge_messages()
    assert "| Non-Compositional Positional | paper-60 (16) | 95.1% (62.5% to 100.0%) |" in results.emergence()
    assert "| `embed-60/0` | `[25, 25, 5]` | Non-Compositional Positional | begin | 0.96 | 100% |" in (
        results.entries()
    )
    assert "| `paper-60/3` |  | +3.48 pp |  | +0.38 pp |" in results.exchanges()
    assert (
        "| H2: above Compositional-NP (symbol 0) | exact | 25 | +4.63 pp | 7.8e-06 |" in results.hypotheses()
    )
    assert "In the 1,024 combinations of these 32 pairs" in results.cross_play()


def test_the_table_of_combinations_left_out_has_a_row_for_each_number_of_cells() -> None:
    rows = results.held_out().splitlines()
    assert [row.split(" | ")[0] for row in rows[2:7]] == [f"| {number}" for number in range(5)]
    assert rows[-1].startswith("On ordinary episodes")


SETTINGS = {
    "deviations.md": ("| The paper | Here |", "| | Published code |"),
    "estimators.md": ("| What | Bits |", "| Table | Probability |", "| Published code | Here |"),
    "language.md": ("| Rule | Option |",),
    "libraries.md": ("| Library and example |",),
    "recording.md": ("| Field |",),
    "reproducing.md": ("| Section of the report |",),
    "sketch.md": ("| Sentence | Condition |",),
    "training.md": ("| Recipe |",),
}
"""Tables with percentages or decimal numbers that were not measured: rules, settings and references."""


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("**/*.md")), ids=lambda path: path.name)
def test_no_measured_figure_is_typed_into_a_table_of_a_page(page: Path) -> None:
    if {"_generated", "walkthroughs", "_static"} & set(page.parts):
        return
    heading = before = ""
    for line in page.read_text("utf-8").splitlines():
        if line.startswith("|") and not before.startswith("|"):
            heading = line
        before = line
        plain = re.sub(r"`[^`]*`", "", line)
        if line.startswith("|") and re.search(r"\d\.\d|\d%", plain):
            known = SETTINGS.get(page.name, ())
            assert heading.startswith(known), f"{heading}: store the figures, and make the table of them"


def test_the_families_of_other_networks_have_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "STATIC", tmp_path)
    (tmp_path / "findings").mkdir()
    rows = ["embed-60,0,8.0,6.0,200,9.0", "local-60,0,8.0,6.0,1000,9.0", "local-60,1,8.0,4.0,3000,11.0"]
    head = "family,pair,message_bits,held_out_bits,entries,kilobits"
    (tmp_path / "findings" / "families.csv").write_text("\n".join([head, *rows]))
    _, _, *lines = results.other_dictionaries().splitlines()
    expected = "| `local-60` | 2 | 8.0 | 62.5% (50.0% to 75.0%) | 2,000 (1,000 to 3,000) | 10 (9 to 11) |"
    assert lines == [expected]

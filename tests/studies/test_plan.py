"""Sweeps from TOML files."""

from pathlib import Path

import pytest

from spatial_game.studies.plan import pairs_of, read_plan

KNOWN = ["vocab_size", "steps", "inputs", "seed"]


def plan(tmp_path, text):
    path = tmp_path / "plan.toml"
    path.write_text(text)
    return pairs_of(read_plan(path), KNOWN, str(path))


def test_a_grid_is_every_combination(tmp_path):
    found = plan(tmp_path, 'inputs = "scalars"\nsteps = 5\n[grid]\nvocab-size = [4, 8]\nseed = [0]')
    assert found == {
        "vocab-size-4_seed-0": {"inputs": "scalars", "steps": 5, "vocab_size": 4, "seed": 0},
        "vocab-size-8_seed-0": {"inputs": "scalars", "steps": 5, "vocab_size": 8, "seed": 0},
    }


def test_names_stay_when_a_grid_grows(tmp_path):
    before = plan(tmp_path, "[grid]\nvocab-size = [4]\nseed = [0]")
    after = plan(tmp_path, "[grid]\nvocab-size = [4, 8]\nseed = [0, 1]")
    assert set(before) < set(after)


def test_a_list_names_pairs_and_a_grid_multiplies_it(tmp_path):
    found = plan(
        tmp_path, "steps = 5\n[[pairs]]\nsteps = 6\n[[pairs]]\nvocab_size = 4\n[grid]\nseed = [0, 1]"
    )
    others = ["vocab-size-4_steps-5_seed-0", "vocab-size-4_steps-5_seed-1"]
    assert list(found) == ["steps-6_seed-0", "steps-6_seed-1", *others]
    assert found["steps-6_seed-1"] == {"steps": 6, "seed": 1}
    assert found["vocab-size-4_steps-5_seed-0"] == {"steps": 5, "vocab_size": 4, "seed": 0}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("steps = 5", r"must describe at least one pair, in \[grid\] or \[\[pairs\]\]; got none"),
        ("[grid]\nseed = []", "must describe at least one pair"),
        ("", "must describe at least one pair"),
        ("[grid]\nsead = [0]", r'settings must be options .*; got sead \(did you mean "seed"\?\)'),
        ("out = 'x'\n[grid]\nseed = [0]", "settings must be options of spatial-game train; got out"),
        ("[grid]\nseed = 0", "grid: seed must be a list of values; got 0"),
        ("grid = 3", r"grid must be one table \[grid\], and pairs tables \[\[pairs\]\]"),
        ("pairs = 3", r"grid must be one table \[grid\], and pairs tables \[\[pairs\]\]"),
        ("[grid]\nseed = [0, 0]", "pairs must differ; got 1 of them twice"),
        (
            "[[pairs]]\nseed = 3\n[grid]\nseed = [0]",
            "grid: seed must be only in the grid; got 3 outside it, too",
        ),
        ("vocab-size = 4\nvocab_size = 5\n[grid]\nseed = [0]", "settings must be given once; got vocab-size"),
        ("[grid", "must be a TOML file; "),
    ],
)
def test_a_file_that_cannot_be_a_sweep(tmp_path, text, fault):
    with pytest.raises(ValueError, match=rf"plan\.toml: {fault}"):
        plan(tmp_path, text)


def test_a_file_that_is_missing(tmp_path):
    with pytest.raises(ValueError, match=r"none\.toml: must be a TOML file; .*No such file"):
        read_plan(tmp_path / "none.toml")


def test_the_plan_of_the_page_has_six_pairs(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "cluster.md").read_text("utf-8")
    text = page.split("```toml\n")[1].split("```")[0]
    (tmp_path / "plan.toml").write_text(text)
    known = ["sequence_length", "inputs", "steps", "vocab_size", "seed"]
    assert len(pairs_of(read_plan(tmp_path / "plan.toml"), known, "plan.toml")) == 6

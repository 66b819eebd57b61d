"""Figures and tables for a paper: what they draw, of pairs that are like the oracle, and their files."""

import shutil
import subprocess
from dataclasses import replace

import pytest
from helpers.reproductions import CONFIG, family, with_pairs, with_phrases
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from PIL import Image

from spatial_game.proportions import Proportion
from spatial_game.reproduction.figures import WIDTH, drawings
from spatial_game.reproduction.latex import TABLES, escaped, latex_tables, to_latex
from spatial_game.reproduction.report import write_figures
from spatial_game.reproduction.tables.play import LENGTHS
from spatial_game.reproduction.tables.table_1 import EMERGENCE
from spatial_game.reproduction.tables.table_2 import TRANSLATION_BRIEF
from spatial_game.tables import Table

TRAININGS = [[(1e6, 0.2 + 0.1 * i), (3e6, 0.6 + 0.1 * i)] for i in range(5)]


@pytest.fixture
def many(results):
    """Five pairs of a family, with trainings and accuracies of their own."""
    return with_pairs(family(results, 5), training=TRAININGS)


def drawn(results, name):
    """The axis of a figure."""
    axis = Figure().add_subplot()
    (drawing,) = (each for each in drawings(results) if each.name == name)
    drawing.draw(axis, drawing.shown)
    return axis


def labelled(axis, label):
    (line,) = (line for line in axis.get_lines() if line.get_label() == label)
    return line


def test_trainings_have_a_line_for_each_pair_a_mean_and_a_band(many):
    axis = drawn(many, "training")
    lines = [line.get_xydata().tolist() for line in axis.get_lines()]
    assert all([[episodes / 1e6, share] for episodes, share in training] in lines for training in TRAININGS)
    x, y = labelled(axis, "o (5 pairs)").get_data()
    assert (x[0], x[-1], y[0], y[-1]) == pytest.approx((1, 3, 0.4, 0.8))
    low, high = axis.collections[0].get_paths()[0].get_extents().intervaly
    assert (low, high) == pytest.approx((0.2, 1.0))
    untrained = with_pairs(many, training=[[]] * 5)
    assert [each.name for each in drawings(untrained)] == ["phrases", "lengths"]


def test_shorter_sequences_stand_beside_the_papers(many):
    axis = drawn(many, "lengths")
    assert labelled(axis, "o (5 pairs)").get_ydata().tolist() == [1, 1, 1]
    theirs = labelled(axis, "the paper").get_xydata()
    assert theirs[0].tolist() == [0, 0.9298]
    assert theirs[-1] == pytest.approx([40, 0.9298 - 0.158])
    assert axis.get_xticks().tolist() == [0, 5, 10, 20, 40]


def test_families_of_several_games_are_shortened_each_in_its_own_way(results):
    """A family without shorter sequences is not in the figure; without any other family there is none."""
    [pair] = family(results, 1).pairs.values()
    whole = {integers: {0: lengths[0]} for integers, lengths in pair.lengths.items()}
    short = replace(
        pair, name="a/0", family="a", config=pair.config.changed(sequence_length=8), lengths=whole
    )
    longer = replace(pair, config=pair.config.changed(sequence_length=20))
    axis = drawn(replace(results, pairs={"a/0": short, "o/0": longer}), "lengths")
    assert labelled(axis, "o (1 pair)").get_xdata().tolist() == [0, 5, 10]
    assert not [line for line in axis.get_lines() if line.get_label().startswith("a")]
    alone = replace(results, pairs={"a/0": short})
    assert [each.name for each in drawings(alone)] == ["phrases"]


def test_accuracies_of_another_number_of_candidates_stand_without_the_papers(results):
    fewer = family(results, 3, config=CONFIG.changed(sequence_length=60, num_distractors=2))
    axis = drawn(fewer, "phrases")
    assert not [each for each in axis.collections if str(each.get_label()).startswith("the paper")]
    assert [line.get_label() for line in axis.get_lines()] == ["chance (33%)"]
    lines = drawn(fewer, "lengths").get_lines()
    assert not [line for line in lines if str(line.get_label()).startswith("the paper")]
    assert "Paper" not in latex_tables(fewer)["table_2"]
    assert {row["paper_mean"] for row in TRANSLATION_BRIEF.table(fewer).records()} == {None}


def test_the_key_names_the_length_of_games_that_differ_in_it(results):
    two = family(results, 2, config=CONFIG.changed(sequence_length=12)).pairs
    games = {"a/0": replace(two["o/0"], name="a/0", family="a", config=CONFIG), **two}
    axis = drawn(replace(results, pairs=games), "lengths")
    assert axis.get_legend_handles_labels()[1][:2] == ["a, 20 integers (1 pair)", "o, 12 integers (2 pairs)"]


def test_pairs_of_a_population_count_as_one(many):
    """Of the trainings, three are of a population: their mean counts as much as each other pair."""
    population = with_pairs(many, population=["p", "p", "p", "", ""])
    axis = drawn(population, "training")
    line = labelled(axis, "o (5 pairs of 3 trainings)")
    assert line.get_ydata()[0] == pytest.approx((0.3 + 0.5 + 0.6) / 3)
    assert _numbers(drawn(population, "phrases"))[0] == "n = 3"
    assert {row["pairs"] for row in LENGTHS.table(population).records()} == {3, None}
    assert {row["pairs"] for row in EMERGENCE.table(population).records()} == {3}


def test_phrases_have_a_circle_for_each_pair_their_mean_their_number_and_the_papers_range(many):
    edge = many.pairs["o/0"].phrases("code", "paper's", "edge")
    rights = (80, 80, 90, 95, 99)
    kinds = [replace(edge, accuracy=Proportion(right, 100)) for right in rights]
    axis = drawn(with_phrases(many, "edge", kinds), "phrases")
    assert _numbers(axis) == ["n = 5", "n = 0", "n = 0", "n = 0"]
    boxes = [each for each in axis.collections if isinstance(each, PolyCollection)]
    assert len(boxes) == 4
    assert boxes[0].get_label() == "the paper, 60 integers:\nmean ± deviation"
    assert boxes[0].get_paths()[0].get_extents().intervalx.tolist() == pytest.approx([0.87, 0.93])
    [circles] = [each.get_offsets() for each in axis.collections if len(each.get_offsets()) > 1]
    assert circles[:, 0].tolist() == [right / 100 for right in rights]
    assert len({*circles[:, 1].tolist()}) == 5
    assert 0.888 in _bars(axis)
    assert "o (5 pairs)" in axis.get_legend_handles_labels()[1]
    labels = [label.get_text() for label in axis.get_yticklabels()]
    assert (labels[0], len(labels)) == ("Non-Compositional\nPositional", 4)


def test_two_pairs_have_a_mean_without_an_interval(results):
    two = family(results, 2)
    edge = two.pairs["o/0"].phrases("code", "paper's", "edge")
    found = [replace(edge, accuracy=Proportion(right, 100)) for right in (60, 90)]
    axis = drawn(with_phrases(two, "edge", found), "phrases")
    assert 0.75 in _bars(axis)
    assert [line.get_label() for line in axis.get_lines()] == ["chance (20%)"]


def _numbers(axis):
    """How many pairs the rows of a figure stand on."""
    return [text.get_text() for text in axis.texts]


def _bars(axis):
    """The accuracies at which a figure has bars, of our means and of the paper's."""
    lines = [each for each in axis.collections if isinstance(each, LineCollection)]
    return [round(float(each.get_segments()[0][0, 0]), 3) for each in lines]


def test_files_are_pdf_png_and_latex_at_the_width_of_a_column_with_the_key_in_it(many, tmp_path, monkeypatch):
    kept, save = [], Figure.savefig
    monkeypatch.setattr(
        Figure, "savefig", lambda figure, *a, **kw: (kept.append(figure), save(figure, *a, **kw))
    )
    written = write_figures(many, tmp_path)
    assert {path.name for path in written} == {path.name for path in tmp_path.iterdir()}
    names = ("training", "phrases", "lengths")
    assert {path.stem for path in written if path.suffix == ".tex"} == {*TABLES}
    for name in names:
        assert (tmp_path / f"{name}.pdf").read_bytes().startswith(b"%PDF")
        with Image.open(tmp_path / f"{name}.png") as picture:
            assert picture.width == pytest.approx(300 * WIDTH, abs=1)
    assert len(kept) == 2 * len(names)
    for figure in kept:
        [key] = figure.legends
        box = key.get_window_extent()
        assert box.x0 >= 0
        assert box.x1 <= figure.bbox.width


def test_tables_in_latex_are_those_of_the_papers_estimator_and_cell(many):
    text = latex_tables(many)["table_2"]
    comment, begin, rule, heading, *rows = text.splitlines()
    assert comment == f"% {many.signature} | NPMI by the estimator code"
    assert (begin, rule) == (r"\begin{tabular}{llrrrrr}", r"\toprule")
    assert heading == r"Type & Family & Pairs with it & Paper: mean & Ours: mean & Phrases & False \\"
    edges = [row for row in rows if row.startswith("Non-Compositional Positional &")]
    assert len(edges) == 1
    assert edges[0].split(" & ")[1:4] == ["o", "5", r"90\%"]


def test_latex_names_the_estimator_leaves_empty_columns_out_and_has_dashes_for_missing_values(results):
    """All pairs are equal, so no mean has an interval; the family of one length has no shorter one."""
    others = family(results, 2, config=CONFIG.changed(sequence_length=8))
    ours = results.pairs["oracle"].config.changed(num_distractors=2)
    only = with_pairs(results, config=[ours])
    several = replace(results, pairs={**only.pairs, **others.pairs})
    texts = latex_tables(with_pairs(several, lengths=[_lengths(0, 5), _lengths(0), _lengths(0)]))
    assert [
        name for name, text in texts.items() if text.splitlines()[0].endswith(" by the estimator code")
    ] == [
        "table_1",
        "table_2",
        "minimal_pairs",
    ]
    assert texts["table_3"].splitlines()[0].endswith(" by the estimator exact")
    assert "NPMI" not in texts["table_7"]
    heading, _, *rows = texts["table_7"].splitlines()[3:-2]
    assert heading == r"Family & Integers & Whole & -5 \\"
    assert [row.split(" & ")[0::3] for row in rows[:2]] == [
        ["oracle", r"0.00 pp \\"],
        ["o", r"-- \\"],
    ]


def _lengths(*shorter):
    """Accuracies of 1 on sequences with these numbers of integers fewer."""
    return {"first": dict.fromkeys(shorter, Proportion(10, 10))}


def test_characters_of_latex_are_escaped():
    assert escaped(r"50% of a_b & {c} \ ~ ^ $1 #2") == (
        r"50\% of a\_b \& \{c\} \textbackslash{} \textasciitilde{} \textasciicircum{} \$1 \#2"
    )
    table = Table.of("A | B_1 :.1%", [("x & y", 0.5)])
    assert to_latex(table) == (
        "\\begin{tabular}{lr}\n\\toprule\nA & B\\_1 \\\\\n\\midrule\nx \\& y & 50.0\\% \\\\\n"
        "\\bottomrule\n\\end{tabular}\n"
    )


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_latex_reads_the_tables(many, tmp_path):
    pages = r" \newpage ".join(latex_tables(many).values())
    head = r"\documentclass{article}\usepackage{booktabs}\begin{document}"
    (tmp_path / "all.tex").write_text(f"{head}\n{pages}\n\\end{{document}}\n", "utf-8")
    call = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    subprocess.run(call, cwd=tmp_path, check=True, capture_output=True)


def test_a_family_has_one_colour_in_all_figures(results):
    """Pairs of 8 integers, the first family here, are in the figure of trainings alone."""
    [pair] = family(results, 1).pairs.values()
    shorter = replace(pair, name="a/0", family="a", config=pair.config.changed(sequence_length=8))
    both = replace(results, pairs={"a/0": shorter, "o/0": pair})
    both = with_pairs(both, training=TRAININGS[:2])
    of_training, of_lengths = (
        labelled(drawn(both, name), label).get_color()
        for name, label in (("training", "o, 60 integers (1 pair)"), ("lengths", "o (1 pair)"))
    )
    assert of_training == of_lengths

"""The reproduction on the oracle pair: all stages, taken up again, and the pages."""

import csv
import dataclasses
import json
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest

from spatial_game import figures
from spatial_game.cli import main
from spatial_game.cli.reproduce import Reproduce, default_pairs, recipe_in_words, short_name
from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import OracleReceiver, OracleSender
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.npmi.grid import TypeShare
from spatial_game.recording import record
from spatial_game.reproduction import claims, meanings, playing
from spatial_game.reproduction.page import Report, Section
from spatial_game.reproduction.results import ListedEntry, Results
from spatial_game.reproduction.sections import sections_of, write_pages
from spatial_game.reproduction.stages import Sizes, Subject, is_measured, read_metrics, reproduce
from spatial_game.tables import Table, columns

CONFIG = GameConfig(20)
SIZES = Sizes(recorded=20_000, choosing=100, reported=300)


def subject(name="oracle", sender=None):
    return Subject(name, sender or OracleSender(CONFIG), OracleReceiver(CONFIG), CONFIG, "abc")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("reproduction")


@pytest.fixture(scope="module")
def results(folder):
    return reproduce([subject()], folder, SIZES, seed=1)


def as_json(results):
    return json.loads(json.dumps(results.content))


@pytest.fixture
def without_drawings(monkeypatch):
    """Figures take longer than everything else; other tests look at them."""
    monkeypatch.setattr(figures, "to_svg", lambda draw, size=None, label="": "<svg></svg>")


class Silent(OracleSender):
    """A sender that is not to speak: everything is there already."""

    def send(self, window):
        raise AssertionError("a stage ran again")


def test_the_oracle_is_perfect_throughout(results):
    pair = results.content["pairs"]["oracle"]
    assert pair["evaluation"]["accuracy"] == 1
    for integers in ("first", "any"):
        lengths = pair["lengths"][integers]["shortened_by"]
        assert {less: length["accuracy"] for less, length in lengths.items()} == {"0": 1, "5": 1, "10": 1}
    exchanged = pair["thresholds"]["exact"]["minimal_pairs"]
    assert {part: exchange["effect"] for part, exchange in exchanged.items()} == {"offset": 1, "integer": 1}
    for kind in ("edge", "compositional"):
        chosen = pair["thresholds"]["exact"]["chosen"][kind]
        assert chosen["reported"]["accuracy"] == 1
        assert chosen["optimism"] == 0
    assert pair["dictionary"]["coverage"] > 0


def test_it_takes_up_where_it_stopped(results, folder):
    said = []
    again = reproduce([subject(sender=Silent(CONFIG))], folder, SIZES, seed=1, say=said.append)
    assert as_json(again) == as_json(results)
    assert said[0] == "oracle: evaluation"
    assert said[-1] == "oracle: thresholds"
    assert is_measured(subject(), folder, SIZES, seed=1)
    (folder / "data" / "oracle" / "thresholds.json").write_text('{"key": ')  # a broken file is made again
    assert not is_measured(subject(), folder, SIZES, seed=1)
    with pytest.raises(AssertionError, match="a stage ran again"):
        reproduce([subject(sender=Silent(CONFIG))], folder, SIZES, seed=1)
    assert as_json(reproduce([subject()], folder, SIZES, seed=1)) == as_json(results)


def test_other_weights_sizes_or_seeds_are_measured_anew(results, folder):
    for changes in ({"seed": 2}, {"sizes": dataclasses.replace(SIZES, reported=200)}):
        with pytest.raises(AssertionError, match="a stage ran again"):
            reproduce([subject(sender=Silent(CONFIG))], folder, **{"sizes": SIZES, "seed": 1, **changes})


@pytest.mark.usefixtures("without_drawings")
def test_families_are_tested_over_their_pairs(folder, results, tmp_path):
    """Six oracle pairs of one family: means over pairs, and tests over pairs that five make possible."""
    oracle = {**results.content["pairs"]["oracle"], "sequence_length": 60, "family": "o"}
    pairs = {f"o/{i}": oracle for i in range(6)}
    many = Results({**results.content, "pairs": pairs})
    sections = {section.name: section for section in sections_of(many)}
    brief = sections["translation_brief"].table.records()
    assert {row["pairs_that_have_it"] for row in brief} == {"6 of 6", "0 of 6"}
    assert next(row for row in brief if row["family"] == "o")["ours_mean"] == 1
    phrases = oracle["thresholds"]["exact"]["chosen"]["compositional"]["phrases"]
    composed = next(row for row in brief if (row["type"], row["estimator"]) == ("Compositional-P", "exact"))
    assert composed["phrases_at_the_maximum"] == phrases > 1
    assert len(sections["edges"].table.rows) == 6
    over = [row for row in sections["hypotheses"].table.records() if row["pairs"] == "o"]
    assert {row["number"] for row in over} == {6}
    assert {row["p_value"] for row in over} == {1 / 2**6}
    assert {row["hypothesis"].split(":")[0] for row in over} == {"H1", "H2"}
    four = Results({**many.content, "pairs": dict(list(pairs.items())[:4])})
    said = next(section for section in sections_of(four) if section.name == "hypotheses").table.records()
    assert {(row["number"], row["p_value"]) for row in said} == {(4, None)}
    pages = {page.name: page.read_text() for page in write_pages(many, tmp_path)}
    for name, text in pages.items():
        if name.endswith(".csv"):
            rows = list(csv.DictReader(text.splitlines()))
            assert all("seed 1" in row["Signature"] for row in rows), name
    assert "weights abc" in pages["translation.csv"]
    assert results.signature in pages["report.md"]


def test_messages_for_edges_are_counted_by_pair(results):
    (oracle,) = Results({**results.content, "pairs": dict(results.content["pairs"])}).pairs.values()
    cells = tuple(
        dataclasses.replace(cell, types={**cell.types, "reserved": TypeShare(0.1, 0.1)})
        for cell in oracle.grid["exact"]
    )
    word = ListedEntry("[1, 1, 1]", "edge", "begin", 0.9, 1.0, 10)
    words = (word, dataclasses.replace(word, message="[2, 1, 1]"), dataclasses.replace(word, meaning="end"))
    changed = dataclasses.replace(
        oracle, grid={"exact": cells}, dictionary=dataclasses.replace(oracle.dictionary, entries=words)
    )
    assert meanings.edges(SimpleNamespace(pairs={"o": changed})).table.rows == (("o", 2, 3, "yes"),)
    assert meanings.edges(SimpleNamespace(pairs={"o": oracle})).table.rows[0][3] == "no"


def test_a_name_alone_means_its_first_pair(tmp_path):
    named = Reproduce(out=tmp_path, quick=True, pairs=("embed-60",))
    assert named._chosen(["embed-60"]) == [("embed-60/0", "embed-60", 0)]
    assert len(named._chosen(["embed-60/all"])) == 16
    assert len(Reproduce(out=tmp_path, quick=True)._chosen(["embed-60/all"])) == 5


def test_the_command_says_how_many_pairs_and_how_long(tmp_path):
    plan = Reproduce(out=tmp_path, jobs=2)._plan(33)
    assert plan.startswith("Measuring 33 pairs, each in about 2 min on one core: about 42 min on 2.")
    one = Reproduce(out=tmp_path, quick=True, jobs=2)._plan(1)
    assert one.startswith("Measuring 1 pair, each in about 25 s on one core: about 25 s on 1.")


def test_pairs_of_grids_are_refused_before_anything_is_measured(tmp_path, capsys):
    assert main(["reproduce", "--quick", "--pairs", "grid-8x8/0", "--out", str(tmp_path)]) == 1
    assert "pairs must play on sequences, as the paper's do; got grid-8x8/0" in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.parquet"))


def test_by_default_pairs_with_the_papers_networks_are_measured(tmp_path):
    quick = Reproduce(out=tmp_path, quick=True)._chosen(default_pairs())
    assert [name for _, name, _ in quick] == [*["embed-60"] * 5, "paper-20", *["paper-60"] * 5]
    assert len(Reproduce(out=tmp_path)._chosen(default_pairs())) == 33


def verdicts(pairs, results):
    """The rows of the verdict by figure."""
    found = claims.verdict(Results({**results.content, "pairs": pairs}))
    return {row["figure"]: row for row in found.table.records()}


def test_the_verdict_says_direction_and_size_of_each_figure(results):
    """Six oracle pairs play perfectly, understand phrases, and do as well on shorter sequences."""
    oracle = {**results.content["pairs"]["oracle"], "sequence_length": 60, "family": "o"}
    pairs = {f"o/{i}": oracle for i in range(6)}
    found = verdicts(pairs, results)
    played = found["accuracy (table 7)"]
    assert (played["paper"], played["here"], played["pairs"]) == ("93.0%", "100.0%", "6 of 6")
    assert played["difference"] == pytest.approx(0.0702)
    assert played["95_interval"] == "+7.0 pp to +7.0 pp"
    assert played["verdict"] == "stronger"
    assert found["pairs above 98% (section 5)"]["verdict"] == "replicates"
    heard = "; minimal pairs: offset +100.0 pp (6 pairs), integer +100.0 pp (6 pairs)"
    assert found["Compositional-P"]["verdict"] == "stronger" + heard
    helped = found["accuracy with it minus without"]
    assert helped["paper"] == "+8.0 pp"
    assert helped["verdict"].endswith(heard)
    few = verdicts({"o": oracle}, results)
    assert {row["verdict"].partition(";")[0] for row in few.values()} == {"undecided"}


def test_accuracy_that_does_not_fall_does_not_replicate_a_fall(results):
    oracle = {**results.content["pairs"]["oracle"], "sequence_length": 60}
    shortened = dict(oracle["lengths"]["first"]["shortened_by"])
    shortened["40"] = {**shortened["10"], "difference": -0.0004}
    lengths = {**oracle["lengths"], "first": {**oracle["lengths"]["first"], "shortened_by": shortened}}
    found = verdicts({f"o/{i}": {**oracle, "lengths": lengths} for i in range(6)}, results)
    change = found["change with 40 fewer"]
    assert (change["paper"], change["here"], change["verdict"]) == ("-15.8 pp", "0.0 pp", "absent")
    assert found["change with 5 fewer"]["verdict"] == "replicates"


@pytest.mark.parametrize(
    ("paper", "effects", "verdict"),
    [
        (0.30, [0.29, 0.31, 0.30, 0.33, 0.27], "replicates"),
        (0.30, [0.39, 0.41, 0.40, 0.43, 0.37], "stronger"),
        (0.30, [0.19, 0.21, 0.20, 0.23, 0.17], "weaker"),
        (0.30, [-0.19, -0.21, -0.20, -0.23, -0.17], "opposite"),
        (0.30, [0.09, -0.11, 0.10, -0.13, 0.07], "absent"),
        (0.30, [0.19, -0.51, 0.60, -0.23, 0.17], "undecided"),
        (0.30, [0.10, 0.90, 0.30, -0.23, 0.17], "undecided"),
        (0.30, [0.20, 0.90, 0.40, 0.33, 0.27], "undecided"),
        (-0.30, [-0.29, -0.31, -0.30, -0.33, -0.27], "replicates"),
        (-0.30, [-0.39, -0.41, -0.40, -0.43, -0.37], "stronger"),
        (-0.30, [0.19, 0.21, 0.20, 0.23, 0.17], "opposite"),
        (0.003, [-0.01, 0.0, 0.01, 0.0, 0.0], "replicates"),
        (0.003, [-0.19, -0.21, -0.20, -0.23, -0.17], "opposite"),
        (0.30, [0.30, 0.30], "undecided"),
    ],
)
def test_a_verdict_compares_direction_and_size(paper, effects, verdict):
    assert claims.Figure("claim", "figure", paper, effects).verdict == verdict


def test_the_verdict_and_the_table_of_accuracies_name_another_recipe_than_the_papers(results):
    oracle = {**results.content["pairs"]["oracle"], "family": "p"}
    other = Results({**results.content, "pairs": {"p": {**oracle, "recipe": "curriculum, embedding"}}})
    assert "no curriculum, raw numbers): p (curriculum, embedding)." in claims.verdict(other).text
    assert "Trained otherwise" not in claims.verdict(results).text
    assert playing.play(other).table.rows[0][-1] == "curriculum, embedding"
    scaled = {"recipe": "curriculum", "inputs": "scalars", "scalar_reach": 8.0}
    assert recipe_in_words(scaled) == "curriculum, numbers scaled to -8..8"
    assert recipe_in_words({"recipe": "paper", "inputs": "scalars", "scalar_reach": 0.0}) == ""


def test_a_type_of_message_must_emerge_as_often_as_in_the_paper_not_in_one_cell(results):
    """In one of two cells all pairs have such messages: half of the runs, where the paper has 99.3%."""
    oracle = {**results.content["pairs"]["oracle"], "sequence_length": 60}
    cells = json.loads(json.dumps(oracle["grid"]["exact"][:2]))
    for cell, vocabulary in zip(cells, (0.5, 0.0), strict=True):
        for kind in ("positional", "compositional_positional"):
            cell["types"][kind]["vocabulary"] = vocabulary
    half = {**oracle, "grid": {"exact": cells, "paper": cells}}
    found = verdicts({f"o/{i}": half for i in range(6)}, results)
    assert found["messages for the edges of the sequence"]["verdict"] == "weaker"
    assert found["parts of messages for positions"]["verdict"] == "stronger"


def test_a_mean_has_an_interval_and_a_range_in_columns_of_their_own(results):
    pairs = {}
    for i, wins in enumerate((290, 300, 280)):
        evaluation = {**results.content["pairs"]["oracle"]["evaluation"], "wins": wins}
        pairs[f"o/{i}"] = {**results.content["pairs"]["oracle"], "family": "o", "evaluation": evaluation}
    mean = playing.play(Results({**results.content, "pairs": pairs})).table.records()[-1]
    assert mean["pair"] == "o: mean"
    assert mean["range_over_pairs"] == "93.33% to 100.00%"
    assert mean["95_interval"] == "88.39% to 100.00%"  # 2.90 +- 4.303 * 0.1 / sqrt(3), of 3, cut at 1


def test_long_tables_are_folded_and_texts_wrap():
    short = Table(columns("What | Said"), (("a", "b"),) * 3)
    long = Table(columns("What | Number :d"), tuple((str(i), i) for i in range(16)))
    page = Report("T & Co", "I", "s", [Section("a", "A", "x", short), Section("b", "B", "y", long)]).to_html()
    assert page.count("<details>") == 1
    assert "<summary>16 rows</summary>" in page
    assert page.count('<table class="texts">') == 1
    assert "<title>T &amp; Co</title>" in page


def test_pairs_need_names_of_their_own(tmp_path):
    with pytest.raises(ValueError, match="at least one pair, of different names; got none"):
        reproduce([], tmp_path, SIZES)
    with pytest.raises(ValueError, match=r"of different names; got \['oracle', 'oracle'\]"):
        reproduce([subject(), subject()], tmp_path, SIZES)


def test_a_training_is_drawn_where_it_is_known(results, tmp_path):
    metrics = tmp_path / "metrics.csv"
    metrics.write_text("step,episodes,validation_accuracy\n50,100,\n100,200,0.5\n150,300,0.75\n")
    training = read_metrics(metrics)
    assert training == {"episodes": [200.0, 300.0], "accuracy": [0.5, 0.75]}
    pair = {**results.content["pairs"]["oracle"], "training": training}
    trained = Results({**results.content, "pairs": {"oracle": pair}})
    [figure] = playing.play(trained).figures
    assert figure.caption == "oracle: accuracy on the full game during training"
    assert playing.play(results).figures == []


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.seen, self.links = [], set(), []

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        self.links += [v for k, v in attributes if k in ("src", "href", "xlink:href") and v]
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_else(results, tmp_path):
    pages = write_pages(results, tmp_path)
    assert all(page.stat().st_size for page in pages)
    page = (tmp_path / "report.html").read_text()
    tags = Tags()
    tags.feed(page)
    assert tags.open == []
    assert not tags.seen & {"script", "img", "iframe"}
    assert all(link.startswith(("#", "data:")) for link in tags.links)
    assert "prefers-color-scheme" in page
    assert "width=device-width" in page
    assert page.count("<svg") >= 2
    assert "currentColor" in page
    assert results.signature in page
    names = [section.name for section in sections_of(results)]
    assert len(set(names)) == len(names)
    for name in names:
        rows = list(csv.reader((tmp_path / f"{name}.csv").open()))
        assert len({len(row) for row in rows}) == 1
    assert json.loads((tmp_path / "results.json").read_text()) == as_json(results)
    assert (
        "| Non-Compositional Integer | oracle |" in (tmp_path / "report.md").read_text()
    )  # absent, and shown


@pytest.mark.usefixtures("without_drawings")
def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("spatial_game.reproduction.stages.QUICK", Sizes(2_000, 50, 100))
    arguments = ["reproduce", "--pairs", "oracle", "--quick", "--out", str(tmp_path), "--json"]
    assert main(arguments) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["pairs"]["oracle"]["evaluation"]["accuracy"] == 1
    assert (tmp_path / "report.html").exists()
    assert result["verdict"][0]["verdict"] == "undecided"
    assert main(arguments[:-1]) == 0
    shown = capsys.readouterr().out
    assert "\nVerdict: which claims of the paper these pairs replicate\n" in shown
    assert "Measuring 1 pair, each in about 25 s on one core" in shown
    for row in claims.verdict(Results(result)).table.rows:
        assert str(row[0]) in shown


def test_figures_return_their_axis_and_are_the_same_each_time():
    episodes = draw_episodes(CONFIG, 2_000, np.random.default_rng(0))
    counts = count(record(OracleSender(CONFIG), None, episodes, CONFIG))
    lexicon = Lexicon.from_counts(counts, threshold=0.4, select="npmi")
    drawings = [
        lambda axis: figures.accuracy_bars(axis, {"edge": [("usual", 0.9), ("sender", None)]}, 0.2),
        lambda axis: figures.message_flow(axis, counts, lexicon),
        lambda axis: figures.training_curve(axis, [1e6, 2e6], [0.3, 0.9], 0.2, "a"),
        lambda axis: figures.lines(axis, {"a": {20: 0.9, 15: 0.8}}, "length", "accuracy"),
    ]
    for draw in drawings:
        seen = []
        svg = figures.to_svg(lambda axis, d=draw, s=seen: s.append((axis, d(axis))), label="what it shows")
        assert seen[0][0] is seen[0][1]
        assert svg.startswith('<svg role="img" aria-label="what it shows"')
        assert "#010203" not in svg
        assert svg == figures.to_svg(draw, label="what it shows")
        assert not re.search(r'href="http', svg)


@pytest.mark.filterwarnings("ignore:Glyph")
def test_any_name_of_a_pair_can_be_shown():
    name = "runs/\x1b[31m$\\frac$<b>"
    assert short_name(name, name) == r"runs-\x1b[31m$\frac$<b>"
    svg = figures.to_svg(lambda axis: figures.lines(axis, {name: {1: 0.5}}, "length"))
    assert r"runs/\x1b[31m$\frac$&lt;b&gt;" in svg
    assert "\x1b" not in svg

"""`compare`: two languages side by side."""

import re
from pathlib import Path

import pytest

from spatial_agents import load_pair
from spatial_game.cli.commands.compare import of_one_training


def test_two_pairs_are_compared_and_play_with_each_other(result):
    found = result("compare oracle random --episodes 1000 --seed 1 --sequence-length 20")
    assert found["languages"] == ["oracle", "random"]
    assert found["bits"][0]["messages"] > 4
    understood = found["translation"]
    assert understood["b_to_a"]["own"]["accuracy"] == 1
    assert max(understood[way]["untranslated"]["accuracy"] for way in ("a_to_b", "b_to_a")) < 0.3
    assert understood["b_to_a"]["verdict"] == "other concepts"
    assert {"a_s_message", "b_s_message"} < set(found["bilingual"][0])


def test_pairs_of_one_seed_are_named(prose):
    shown = prose("compare landmark-60/0 seen-60/0 --episodes 200")
    assert "Both pairs were trained with seed 0: " in shown
    one, *others = map(load_pair, ("landmark-60/0", "landmark-60/0", "landmark-60/1"))
    assert [of_one_training(one, other) for other in (*others, None)] == [[], [], []]


def test_recordings_are_compared_with_each_other_and_with_a_pair(text, prose, monkeypatch):
    monkeypatch.setattr("spatial_game.cli.commands.compare.HEARD", 500)
    for agents in ("oracle", "random"):
        text(f"record {agents} --game small --episodes 300 --out {agents}.parquet")
    shown = prose("compare oracle.parquet random.parquet")
    assert "A oracle, 300 episodes B random, 300 episodes" in shown
    assert "A has no agents here: its dictionary speaks and reads for them." in shown
    assert shown.index("A's messages lead B's receiver") < shown.index("Who understands whom")
    rows = text("compare random.parquet oracle.parquet --format csv").splitlines()
    assert rows[0] == "A says,A's message,Share,B's message,B says"
    assert len(rows) > 21  # all messages of A


def test_both_maps_have_the_order_of_the_first_language(text, monkeypatch):
    monkeypatch.setattr("spatial_game.language.pictures.figures.writing.DOTS", 50)
    shown = text("compare paper-60/0 embed-60/0 --episodes 3000 --pictures maps")
    assert "its colours are scattered" in " ".join(shown.split())
    in_order = [str(integer) for integer in range(0, 60, 5)]
    for name, has_order_of_a in (("a", True), ("b", True), ("b-own", False)):
        written = Path(f"maps/map-{name}.svg").read_text("utf-8")
        columns = re.findall(">([0-9]+)</text>", written)[:12]
        assert (columns == in_order) == has_order_of_a
        assert "n3000" in written
        assert Path(f"maps/map-{name}.png").exists()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("play.parquet --episodes 10", "--episodes needs agents that play"),
        ("none.parquet", "recording must name a file that exists, or a trained pair"),
        ("random --sequence-length 20 --json --format csv", "--format must be given without --json; got csv"),
    ],
)
def test_languages_that_cannot_be_compared_are_refused(line, said, files, error):
    assert said in error(f"compare play.parquet {line}")

"""`describe`: a language on one page."""


def test_a_recording_is_described_in_text_json_and_as_a_page(folder, text, result):
    text("record --agents oracle --sequence-length 20 --episodes 2000 --out play.parquet")
    shown = text("describe play.parquet --out page.html")
    parts = ("The language of oracle", "The game", "What is told", "The alphabet", "Words")
    places = [shown.index(f"\n{part}\n") for part in parts]
    assert places == sorted(places)
    assert "page.html" in shown
    assert "Warning" not in shown
    assert "<h2>The alphabet</h2>" in (folder / "page.html").read_text("utf-8")
    assert "Do its symbols combine?" in shown
    assert "Ask its receiver" not in shown
    found = result("describe play.parquet")
    assert found["combines"].startswith("Cannot say whether its symbols combine: no receiver was asked")
    assert found["episodes"] == 2_000
    assert found["bits"]["messages"] > 3
    assert found["sections"]["The alphabet"]["tables"]["Slot 1"][0].keys() == {"symbol", "says", "episodes"}


def test_a_pair_plays_and_is_described(text, monkeypatch):
    monkeypatch.setattr("spatial_game.language.page.content.PROBE_EPISODES", 200)
    shown = text("describe landmark-60/0 --episodes 2000")
    assert "The language of landmark-60/0" in shown
    assert "The receiver understands" in shown
    assert "Ask its receiver: spatial-game evaluate landmark-60/0 --study combines" in shown


def test_a_mixture_of_senders_has_a_warning(text):
    for agents in ("oracle", "random"):
        text(f"record --agents {agents} --game small --episodes 200 --out {agents}.parquet")
    for command in ("describe", "analyse"):
        shown = text(f"{command} oracle.parquet random.parquet")
        assert "these recordings have 2 senders (oracle, random)" in shown

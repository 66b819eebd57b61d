"""Languages of sums on the command line: `analyse --select additive`, and the commands that take its file."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest
from private_orders import private_order, recorded

from spatial_game.cli import main
from spatial_game.cli.dictionary import Analysed, in_bits
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.account import Account
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.recording import read_recording


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("additive")
    sender = private_order(2, 2, 0.0)
    recorded(sender, sender.config, 12_000).write(folder / "play.parquet")
    return folder / "play.parquet", folder / "order.json.gz"


def run(capsys, *words):
    try:
        status = main([*map(str, words)])
    except SystemExit as exit:
        status = exit.code
    return status, capsys.readouterr()


def test_analyse_tells_the_scale_and_which_description_is_shorter(files, capsys):
    recording, out = files
    status, said = run(capsys, "analyse", recording, "--select", "additive", "--out", out)
    assert not status
    assert "Integers are told by a scale of this language's own" in said.out
    assert "The model is the shorter description, by" in said.out
    lexicon = Lexicon.read(out)
    assert lexicon.additive is not None
    assert not lexicon.entries
    _, said = run(capsys, "analyse", recording, "--select", "additive", "--json")
    found = json.loads(said.out)
    model = lexicon.additive.model
    assert found["order"] == np.argsort(model.values[0], kind="stable").tolist()
    assert found["held_out_bits"] == lexicon.additive.held_out_bits
    assert found["kilobits"] == lexicon.additive.kilobits
    assert found["dictionary_account"]["held_out_bits"] < found["held_out_bits"]


def test_other_formats_have_the_first_symbols(files, capsys):
    words = ("analyse", files[0], "--select", "additive", "--format", "csv")
    status, said = run(capsys, *words)
    heading, *rows = csv.reader(said.out.splitlines())
    assert not status
    assert heading == ["First symbol", "Episodes", "Says"]
    assert sum(float(share) for _, share, _ in rows) == pytest.approx(1)
    assert run(capsys, *words, "--best", 2)[1].out.splitlines() == said.out.splitlines()[:3]


def test_bits_that_round_to_zero_have_no_sign(files, capsys):
    recording, out = files
    run(capsys, "analyse", recording, "--select", "additive", "--out", out)
    lexicon = Lexicon.read(out)
    bits = {"explained_bits": -0.001, "held_out_bits": -0.002, "by_slot": (-0.001, 0.5)}
    account = Account(1.0, 1.0, -0.001, -0.002, -0.001, 0.0, {}, ())
    additive = replace(lexicon, additive=replace(lexicon.additive, **bits))
    analysed = Analysed(count(read_recording(recording)), additive, None, rival=account)
    text = " ".join(in_bits(analysed))
    assert "0.00 of them (held out 0.00)" in text
    assert "tell 0.00, 0.50 bits" in text
    assert "A dictionary explains 0.00 bits (held out 0.00)" in text


def test_look_says_high_and_low(files, capsys):
    recording, out = files
    run(capsys, "analyse", recording, "--select", "additive", "--out", out)
    model = Lexicon.read(out).additive.model
    message = model.messages[model.episodes.argmax()].tolist()
    status, said = run(capsys, "look", recording, *message, "--lexicon", out)
    assert not status
    assert "high " in said.out or "low " in said.out
    assert "Words in it" not in said.out


def test_thresholds_have_no_effect_and_are_refused(files, capsys):
    status, said = run(capsys, "analyse", files[0], "--select", "additive", "--threshold", "0.4")
    assert status
    assert "threshold needs select npmi; got 0.4" in said.err

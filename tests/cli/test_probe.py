"""`spatial-game probe` on pairs that are known."""

import json
from pathlib import Path

import pytest

from spatial_game.cli import main


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("probe")
    play, lexicon = str(folder / "play.parquet"), str(folder / "lexicon.json")
    assert main(["record", "--agents", "oracle", "--episodes", "20000", "--seed", "1", "--out", play]) == 0
    assert main(["analyse", play, "--select", "npmi", "--out", lexicon]) == 0
    return play, lexicon


def result(capsys, *arguments):
    capsys.readouterr()
    assert main(["probe", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_oracle_pair_reads_and_understands_its_lexicon(files, capsys):
    play, lexicon = files
    said = result(capsys, "oracle", "--lexicon", lexicon, "--recording", play, "--episodes", "2000")
    assert said["kinds"]["edge"]["accuracy"]["accuracy"] == 1
    assert said["kinds"]["compositional"]["accuracy"]["accuracy"] == 1
    assert said["coverage"]["accuracy"] == said["ordinary"]["accuracy"] == 1
    assert said["chance"] == 0.2
    assert "probe n2000" in said["signature"]
    again = result(capsys, "oracle", "--lexicon", lexicon, "--recording", play, "--episodes", "2000")
    assert again == said


def test_a_description_speaks_and_reads_in_place_of_the_agents(files, tmp_path, capsys):
    lexicon = str(tmp_path / "description.json")
    assert main(["analyse", files[0], "--out", lexicon]) == 0
    spoken = result(capsys, "oracle", "--lexicon", lexicon, "--episodes", "1000")["spoken"]
    assert spoken["own"] == spoken["expressed"] == 1
    assert spoken["relative"] > 0.97
    assert spoken["read_unique"] > 0.97
    assert spoken["read_right"] > 0.99
    assert main(["probe", "oracle", "--lexicon", lexicon, "--episodes", "200"]) == 0
    text = capsys.readouterr().out
    assert "Understood if it agrees" in text
    assert "that the lexicon alone composes" in text


def test_as_text(files, capsys):
    play, lexicon = files
    assert main(["probe", "oracle", "--lexicon", lexicon, "--episodes", "200"]) == 0
    text = capsys.readouterr().out
    assert "no such phrases" in text
    assert "H2  the positional part helps: more than Compositional-NP (symbol 0), p < 1e-12" in text
    assert main(["probe", "oracle", "--lexicon", lexicon, "--episodes", "200", "--recording", play]) == 0


def test_one_line_errors(files, tmp_path, capsys):
    _play, lexicon = files

    def error(*arguments):
        capsys.readouterr()
        assert main(["probe", *arguments]) == 1
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 1
        return lines[0]

    assert "there is no such file" in error("oracle", "--lexicon", str(tmp_path / "none.json"))
    assert "episodes must be at least 1; got 0" in error("oracle", "--lexicon", lexicon, "--episodes", "0")
    assert "vocab_size must be 26" in error("oracle", "--lexicon", lexicon, "--vocab-size", "30")
    content = json.loads(Path(lexicon).read_text())
    content["provenance"] = [{"sender": {"weights_hash": "xyz", "name": "mine", "index": 2}}]
    foreign = tmp_path / "foreign.json"
    foreign.write_text(json.dumps(content))
    assert "it was made for mine/2, not oracle (--force" in error(
        "oracle", "--lexicon", str(foreign), "--episodes", "10"
    )
    assert main(["probe", "oracle", "--lexicon", str(foreign), "--episodes", "10", "--force"]) == 0


def test_an_empty_lexicon_is_reported_and_not_guessed_with(files, tmp_path, capsys):
    content = json.loads(Path(files[1]).read_text())
    content["entries"] = []
    empty = tmp_path / "empty.json"
    empty.write_text(json.dumps(content))
    said = result(capsys, "oracle", "--lexicon", str(empty), "--episodes", "100")
    assert said["coverage"]["wins"] == 0
    assert all(kind["accuracy"]["accuracy"] is None for kind in said["kinds"].values())


def test_a_pair_is_asked_with_its_own_lexicon(capsys):
    assert main(["probe", "embed-60", "--episodes", "300", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["lexicon"] is None
    assert found["lexicon_weights_hashes"] == [found["weights_hash"]]

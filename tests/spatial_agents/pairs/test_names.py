"""Names of pairs: of bundled ones, of run folders and of weights files."""

from pathlib import Path

import pytest

from spatial_agents.pairs.names import PRETRAINED, find_pair, is_pair, labels_of


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run of two pairs, in the current folder."""
    monkeypatch.chdir(tmp_path)
    for index in ("00", "01"):
        (tmp_path / "run" / index).mkdir(parents=True)
        (tmp_path / "run" / index / "pair.safetensors").touch()
    return tmp_path / "run"


def test_labels_stand_for_pairs(run):
    both = ["run/0", "run/1"]
    assert labels_of(["run/all"]) == both
    assert labels_of(["run"]) == both[:1]
    assert labels_of(["run/1", "run/all", "run/1"]) == both[::-1]
    assert labels_of(["run/00"]) == ["run/00"]  # a folder that is there
    assert labels_of(["nowhere/1", "oracle"]) == ["nowhere/1", "oracle"]
    assert labels_of(["embed-60", "embed-60/3"]) == ["embed-60/0", "embed-60/3"]


@pytest.mark.parametrize(
    ("label", "name", "index", "weights", "family"),
    [
        ("run", "run", 0, "run/00/pair.safetensors", "run"),
        ("run/1", "run", 1, "run/01/pair.safetensors", "run"),
        ("run/01", "run/01", 0, "run/01/pair.safetensors", "run"),
        ("run/01/pair.safetensors", "run/01/pair.safetensors", 0, "run/01/pair.safetensors", "run"),
        ("embed-60/3", "embed-60", 3, str(PRETRAINED / "embed-60" / "03.safetensors"), "embed-60"),
    ],
)
def test_the_files_of_a_pair_stand_beside_its_weights(run, label, name, index, weights, family):
    found = find_pair(label)
    assert (found.name, found.index, str(found.weights)) == (name, index, weights)
    assert (found.family(), found.bundled) == (family, family == "embed-60")
    trained = weights.endswith("pair.safetensors")
    assert found.metrics == found.weights.with_name("metrics.csv" if trained else "03.csv")
    assert found.card == found.weights.with_name("card.json" if trained else "03.json")


def test_runs_of_one_pair_in_one_folder_are_families_of_their_own(run, monkeypatch):
    Path("run/01").rename("other")
    assert [find_pair(f"./{name}").family() for name in ("run", "other")] == ["run", "other"]
    monkeypatch.chdir("run")
    assert find_pair("00").family() == "run"


def test_all_pairs_of_a_run_of_one_pair_are_that_pair(run):
    assert labels_of(["run/00/all"]) == labels_of(["run/00/0"]) == ["run/00"]
    assert find_pair("run/00/0").weights == find_pair("run/00").weights
    assert is_pair("run/00/all")
    with pytest.raises(ValueError, match="agents must be one pair; got run/00/all, which are 1"):
        find_pair("run/00/all")


def test_a_bundled_name_comes_before_a_local_folder(run):
    run.rename("embed-60")
    Path("embed-60/01").rename("embed-60/1")
    bundled = [find_pair(name).weights for name in ("embed-60", "embed-60/0", "embed-60/1")]
    assert bundled == [
        PRETRAINED / "embed-60" / file for file in ("00.safetensors",) * 2 + ("01.safetensors",)
    ]
    local = [str(find_pair(f"./{name}").weights) for name in ("embed-60", "embed-60/0", "embed-60/1")]
    assert local == [f"embed-60/{folder}/pair.safetensors" for folder in ("00", "00", "1")]


def test_a_pair_of_a_population_has_no_number(run):
    names = ["sender0-receiver0", "sender0-receiver1"]
    for name, folder in zip(names, ("00", "01"), strict=True):
        (run / folder).rename(run / name)
    assert labels_of(["run"]) == labels_of(["run/all"]) == [f"run/{name}" for name in names]
    with pytest.raises(
        ValueError, match=r"run has pairs with names, such as run/sender0-receiver0: .*; got run/1"
    ):
        labels_of(["run/1"])
    with pytest.raises(ValueError, match=r'got "run/sender0-receiver9" \(did you mean "run/sender0-receiver'):
        find_pair("run/sender0-receiver9")
    with pytest.raises(
        ValueError, match=r"be one pair, such as run/sender0-receiver0, or run/all; got 2 pairs"
    ):
        find_pair("run", "partner")
    with pytest.raises(ValueError, match=r"run must be one pair, such as run/sender0-receiver0; got 2 pairs"):
        find_pair("run")


def test_what_names_a_pair(run):
    (run / "play.parquet").touch()
    assert all(map(is_pair, ("run", "run/1", "run/all", "run/00/pair.safetensors", "embed-60/all")))
    assert not any(map(is_pair, ("run/play.parquet", "oracle", "nowhere", "embed-60/²")))


def test_names_near_those_of_several_pairs_are_told(run):
    for given, near in ("embed-61/all", "embed-60/all"), (f"{run.parent}/runn/all", f"{run}/all"):
        with pytest.raises(ValueError, match=rf'\(did you mean "{near}"\?\)$'):
            find_pair(given, "partner")


def test_unknown_names_of_pairs_are_refused(run):
    begun = run / "02"
    begun.mkdir()
    for name, fault in {
        "embed-60/all": "agents must be one pair; got embed-60/all, which are 16",
        "embed-60/99": "index must be that of a pair of embed-60, 0, 1, .*; got 99",
        "x" * 5000: "a run folder, a weights file",  # too long for the name of a file
        "run/2": "index must be that of a pair of run, 0, 1; got 2",
        "embed-61": r'must be "oracle", .* \(embed-60, .*; got "embed-61" \(did you mean "embed-60"\?\)',
        str(begun): r"must be a trained pair; the folder .*02 has none \(pair.safetensors\)",
    }.items():
        with pytest.raises(ValueError, match=fault):
            find_pair(name)
    with pytest.raises(
        ValueError, match=r"path must be a bundled pair \(embed-60, .*\), a run folder, a weights file; g"
    ):
        find_pair("embed-61", "path")
    for folder, pairs in (run, 4), (begun, 1):
        (folder / "config.json").write_text(f'{{"options": {{"pairs": {pairs}}}}}')
    for name, index in ("run/2", 2), ("run/3", 3), (str(begun), 0):
        with pytest.raises(ValueError, match=rf"pair {index} must be finished; .* --resume"):
            find_pair(name)

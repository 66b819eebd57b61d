"""Shells complete what the commands take; each script is tried in its shell, where that is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from spatial_game.cli import main
from spatial_game.cli.arguments import flags_of
from spatial_game.cli.commands import COMMANDS
from spatial_game.cli.completion import WRITERS, words_of
from spatial_game.cli.players import bundled_pairs

# What is typed, what must be among the completions, and what must not.
TYPED = {
    "": ({"demo", "play", "doctor"}, {"play.parquet"}),
    "re": ({"record"}, {"demo"}),
    "analyse --est": ({"--estimator"}, {"--seed"}),
    "analyse --estimator ": ({"exact", "paper"}, {"play.parquet"}),
    "play --agents ": ({"oracle", "random", "play.parquet", *bundled_pairs()}, {"--agents"}),
    "evaluate ": ({"play.parquet", *bundled_pairs()}, {"oracle"}),
    "play --gif pl": ({"play.parquet"}, {"oracle"}),
    "record --device ": ({"auto", "cpu", "cuda"}, {"play.parquet"}),
    "completion ": ({"bash", "zsh", "fish"}, {"play.parquet"}),
    "play --seed ": (set(), {"play.parquet", "--seed", "oracle"}),
}

BASH = """
source "$1"
line="spatial-game $2"
read -ra COMP_WORDS <<< "$line"
[[ $line == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
_spatial_game
printf '%s\\n' "${COMPREPLY[@]}"
"""
FISH = 'source $argv[1]; complete -C "spatial-game $argv[2]"'
# zsh completes only at a prompt: _arguments and _alternative are replaced by what prints their arguments.
ZSH = """
_describe() { print -rl -- ${${(P)2}%%:*} }
_arguments() { print -rl -- $@ }
compdef() { }
source $1
words=(${=2}); CURRENT=$(( $#words ))
_spatial_game
"""


@pytest.fixture
def script(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The script for the test's shell, beside a recording; skips where the shell is not installed."""
    shell = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "play.parquet").touch()
    path = tmp_path / f".script.{shell}"
    path.write_text(WRITERS[shell](COMMANDS))
    return path


def run(*words: str | Path) -> list[str]:
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize("script", ["bash", "fish"], indirect=True)
@pytest.mark.parametrize("typed", TYPED)
def test_a_shell_completes(script: Path, typed: str) -> None:
    offered, absent = TYPED[typed]
    if script.suffix == ".bash":
        found = run("bash", "--norc", "-c", BASH, "bash", script, typed)
    else:
        found = run("fish", "--no-config", "-c", FISH, script, typed)
    words = {line.split("\t")[0] for line in found}
    assert offered <= words
    assert not absent & words


@pytest.mark.parametrize("script", ["bash"], indirect=True)
def test_bash_keeps_the_names_of_files_whole(script: Path) -> None:
    for name in ("local fs.parquet", "local*.parquet"):
        script.with_name(name).touch()
    found = run("bash", "--norc", "-c", BASH, "bash", script, "play --gif lo")
    assert sorted(found) == ["local fs.parquet", "local*.parquet"]


@pytest.mark.parametrize("script", ["zsh"], indirect=True)
def test_zsh_is_told_the_commands_and_their_options(script: Path) -> None:
    assert set(COMMANDS) == set(run("zsh", "-f", "-c", ZSH, "zsh", script, "spatial-game x"))
    for name, command in COMMANDS.items():
        specs = run("zsh", "-f", "-c", ZSH, "zsh", script, f"spatial-game {name} x")
        assert {spec.split("[")[0] for spec in specs if spec.startswith("--")} == {*flags(command), "--help"}
    play = run("zsh", "-f", "-c", ZSH, "zsh", script, "spatial-game play x")
    assert any(spec.endswith(":value:_spatial_game_pairs") for spec in play)
    assert "its table 1" in "".join(run("zsh", "-f", "-c", ZSH, "zsh", script, "spatial-game analyse x"))


def flags(command: type) -> set[str]:
    return {word.flag for word in words_of(command) if word.flag}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_completed(name: str) -> None:
    words = words_of(COMMANDS[name])
    positional = [word for word in words if not word.flag]
    assert len(flags(COMMANDS[name])) + len(positional) == len(flags_of(COMMANDS[name]))
    assert flags(COMMANDS[name]) <= set(flags_of(COMMANDS[name]))
    assert len(positional) <= 1
    assert all(word.about for word in words)


@pytest.mark.parametrize("shell", WRITERS)
def test_the_command_prints_the_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert capsys.readouterr().out == WRITERS[shell](COMMANDS)


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "tcsh"]) == 2
    assert "must be one of bash, zsh, fish" in capsys.readouterr().err

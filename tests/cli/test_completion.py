"""Shells complete what the commands take; the scripts for bash and fish are tried there, if installed."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path

import pytest

from spatial_game.cli import main
from spatial_game.cli.app import COMMANDS, app
from spatial_game.cli.players import bundled_pairs

# What is typed, what must be among the completions, and what must not.
TYPED = {
    "": ({"demo", "play", "doctor"}, {"play.parquet"}),
    "re": ({"record"}, {"demo"}),
    "analyse --est": ({"--estimator"}, {"--seed"}),
    "analyse --estimator ": ({"exact", "paper"}, {"play.parquet"}),
    "play --as ": ({"receiver", "sender"}, {"play.parquet"}),
    "play --agents ": ({"oracle", "random", "play.parquet", *bundled_pairs()}, {"--agents"}),
    "evaluate ": ({"play.parquet", *bundled_pairs()}, {"oracle"}),
    "play --gif pl": ({"play.parquet"}, {"oracle"}),
    "train --network ": ({"sequential", "local", "landmark"}, {"play.parquet"}),
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
BASH_HERE, FISH_HERE = (pytest.param(shell, marks=pytest.mark.program(shell)) for shell in ("bash", "fish"))


@pytest.fixture
def script(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The script for the test's shell, beside a recording."""
    shell = request.param
    monkeypatch.chdir(tmp_path)
    (tmp_path / "play.parquet").touch()
    program = tmp_path / ".bin" / "spatial-game"  # the script asks it for the names of pairs
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m spatial_game.cli "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    path = tmp_path / f".script.{shell}"
    path.write_text(script_for(shell))
    return path


@cache
def script_for(shell: str) -> str:
    with redirect_stdout(StringIO()) as shown:
        assert main(["completion", shell]) == 0
    return shown.getvalue()


def run(*words: str | Path) -> list[str]:
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize("script", [BASH_HERE, FISH_HERE], indirect=True)
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


@pytest.mark.parametrize("script", [BASH_HERE], indirect=True)
def test_bash_keeps_the_names_of_files_whole(script: Path) -> None:
    script.with_name("local fs.parquet").touch()
    assert run("bash", "--norc", "-c", BASH, "bash", script, "play --gif lo") == ["local fs.parquet"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_knows_every_command_and_option(shell: str) -> None:
    script = script_for(shell)
    assert script.startswith("#compdef spatial-game\n") == (shell == "zsh")
    for name in COMMANDS:
        assert name in script
        for argument in app[name].assemble_argument_collection():
            if not argument.show:  # an option of a command's own units
                continue
            flag = argument.name.removeprefix("--") if shell == "fish" else argument.name
            assert argument.children or argument.field_info.is_positional_only or flag in script

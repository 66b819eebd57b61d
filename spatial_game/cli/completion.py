"""`spatial-game completion`: what a shell needs to complete commands, options and their values."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import textwrap
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import tyro

from spatial_game.cli.players import bundled_pairs

PROGRAM = "spatial-game"
Shell = Literal["bash", "zsh", "fish"]

# Values of options whose type does not say them; files are offered beside those of the first two.
_PAIRS = ("agents", "pair", "partner")
_NAMED = {"device": ("auto", "cpu", "cuda")}


@dataclass(frozen=True)
class Completion:
    """Print a script with which a shell completes commands, options, trained pairs and files.

    spatial-game completion bash > ~/.local/share/bash-completion/completions/spatial-game

    spatial-game completion zsh > ~/.zfunc/_spatial-game (any folder of your fpath)

    spatial-game completion fish > ~/.config/fish/completions/spatial-game.fish
    """

    shell: tyro.conf.Positional[Shell]
    """The shell that is to read it."""

    def run(self) -> None:
        """Print the script."""
        from spatial_game.cli.commands import COMMANDS

        print(WRITERS[self.shell](COMMANDS), end="")


@dataclass(frozen=True)
class Word:
    """An option of a command (`--seed`) or, with no flag, a positional argument; and what values it takes."""

    flag: str
    about: str
    takes_value: bool
    values: tuple[str, ...] = ()
    files: bool = False
    """Whether a value may be a file or a folder."""


def words_of(command: type) -> list[Word]:
    """The options and positional arguments of a command, those of its nested dataclasses included."""
    words: list[Word] = []
    about = _field_docs(command)
    for name, hint in get_type_hints(command, include_extras=True).items():
        kind = _without_annotations(hint)
        if isinstance(kind, type) and dataclasses.is_dataclass(kind):
            words += words_of(kind)
            continue
        positional = _POSITIONAL in get_args(hint)
        kinds = _members(kind)
        choices = tuple(str(v) for k in kinds if get_origin(k) is Literal for v in get_args(k))
        pairs = ("oracle", "random", *bundled_pairs()) if name in _PAIRS else ()
        words.append(
            Word(
                flag="" if positional else "--" + name.rstrip("_").replace("_", "-"),
                about=about.get(name, ""),
                takes_value=bool not in kinds,
                values=choices or _NAMED.get(name) or (pairs[2:] if positional else pairs),
                files=bool(pairs) or Path in kinds or (positional and not choices),
            )
        )
    return words


_POSITIONAL = get_args(tyro.conf.Positional[int])[1]


def _without_annotations(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _members(kind: Any) -> list[Any]:
    """The types that a value may have: those of a union, or the one."""
    if get_origin(kind) in (Union, types.UnionType):
        return [_without_annotations(member) for member in get_args(kind)]
    return [kind]


def _field_docs(command: type) -> dict[str, str]:
    """The first sentence of the string below each field of a dataclass."""
    docs: dict[str, str] = {}
    for owner in reversed(command.__mro__[:-1]):
        body = ast.parse(textwrap.dedent(inspect.getsource(owner))).body[0]
        assert isinstance(body, ast.ClassDef)
        for field, below in zip(body.body, body.body[1:], strict=False):
            if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
                continue
            if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                docs[field.target.id] = _first_sentence(str(below.value.value))
    return docs


def _first_sentence(text: str) -> str:
    return " ".join(text.split()).split(". ")[0].rstrip(".")


# --- The scripts ------------------------------------------------------------------------------------------


def bash(commands: Mapping[str, type]) -> str:
    """The script for bash: a look-up of the command and the word before."""
    cases = []
    for name, command in commands.items():
        words = words_of(command)
        for word in words:
            if word.flag and word.takes_value:
                cases.append((f'"{name} {word.flag}"', word.values, word.files))
        free = [word for word in words if not word.flag]
        offered = [value for word in free for value in word.values]
        flags = [word.flag for word in words if word.flag]
        cases.append((f'"{name} "*', (*offered, *flags, "--help"), any(word.files for word in free)))
    lines = [
        f'    {pattern}) words="{" ".join(values)}"{"; files=yes" if files else ""} ;;'
        for pattern, values, files in cases
    ]
    return _BASH.format(program=PROGRAM, commands=" ".join(commands), cases="\n".join(lines))


_BASH = """\
# bash completion for {program}; made by: {program} completion bash
_spatial_game() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words="" files="" file
  if [[ $COMP_CWORD -eq 1 ]]; then
    words="{commands} --help --version"
  else
    case "${{COMP_WORDS[1]}} $before" in
{cases}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n $files && $current != -* ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$current")
  fi
}}
complete -F _spatial_game {program}
"""


def zsh(commands: Mapping[str, type]) -> str:
    """The script for zsh: options with what they are for."""
    listed = "\n".join(
        f"    {_zsh_quoted(f'{name}:{_about(command)}')}" for name, command in commands.items()
    )
    cases = []
    for name, command in commands.items():
        specs = [_zsh_quoted(_zsh_spec(word)) for word in words_of(command)]
        specs.append("'--help[show what the command does]'")
        cases.append(f"    {name})\n      _arguments {' '.join(specs)} ;;")
    return _ZSH.format(
        program=PROGRAM,
        commands=listed,
        cases="\n".join(cases),
        pairs=" ".join(("oracle", "random", *bundled_pairs())),
        trained=" ".join(bundled_pairs()),
    )


def _zsh_spec(word: Word) -> str:
    action = f"({' '.join(word.values)})" if word.values else " "
    if word.files:
        names = {(): "_files", tuple(bundled_pairs()): "_spatial_game_trained"}
        action = names.get(word.values, "_spatial_game_pairs")
    about = re.sub(r"([\[\]:\\])", r"\\\1", word.about)
    if not word.flag:
        return f"*:{about or 'argument'}:{action}"
    return f"{word.flag}[{about}]" + (f":value:{action}" if word.takes_value else "")


def _zsh_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


_ZSH = """\
#compdef {program}
# zsh completion for {program}; made by: {program} completion zsh
_spatial_game_pairs() {{ _alternative 'pairs:agents:({pairs})' 'files:file:_files' }}
_spatial_game_trained() {{ _alternative 'pairs:trained pair:({trained})' 'files:file:_files' }}
_spatial_game() {{
  local -a commands=(
{commands}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{cases}
  esac
}}
if [[ $funcstack[1] == _{program} ]]; then _spatial_game "$@"; else compdef _spatial_game {program}; fi
"""


def fish(commands: Mapping[str, type]) -> str:
    """The script for fish: a line for each command and option."""
    begin = f"complete -c {PROGRAM}"
    lines = [f"# fish completion for {PROGRAM}; made by: {PROGRAM} completion fish", f"{begin} -f"]
    for name, command in commands.items():
        lines.append(f"{begin} -n __fish_use_subcommand -a {name} -d {_fish_quoted(_about(command))}")
    for name, command in commands.items():
        here = f"{begin} -n '__fish_seen_subcommand_from {name}'"
        for word in words_of(command):
            flag = f" -l {word.flag[2:]}" if word.flag else ""
            values = f" -a '{' '.join(word.values)}'" if word.values else ""
            takes = " -r" if word.files else " -x" if word.flag and word.takes_value else ""
            files = " -F" if word.files else ""
            lines.append(f"{here}{flag}{takes}{files}{values} -d {_fish_quoted(word.about)}")
        lines.append(f"{here} -l help -d 'show what the command does'")
    return "\n".join(lines) + "\n"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _about(command: type) -> str:
    return _first_sentence((command.__doc__ or "").split("\n")[0])


WRITERS: dict[str, Callable[[Mapping[str, type]], str]] = {"bash": bash, "zsh": zsh, "fish": fish}
"""What makes the script of each shell."""

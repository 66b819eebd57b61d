"""`spatial-game completion`: the scripts that let a shell complete commands, options and their values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from spatial_game.cli.options import Command, positional
from spatial_game.cli.terminal import Output

Shell = Literal["bash", "zsh", "fish"]


@positional
@dataclass(frozen=True, kw_only=True)
class Completion(Command):
    """The options of `spatial-game completion`."""

    shell: Annotated[Shell, Parameter(name="SHELL")] = field(kw_only=False)
    """The shell that reads the script."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Print the script."""
        from spatial_game.cli.app import app

        script = app.generate_completion(shell=self.shell)
        if self.shell == "bash":  # names of files may hold spaces, and a slash follows those of folders
            script = script.replace("  local cur prev\n", "  local cur prev IFS=$'\\n'\n", 1)
            script = script.replace("complete -F", "complete -o filenames -F")
        if not self.json:
            print(script, end="")
        return {"script": script}

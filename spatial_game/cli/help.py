"""The look of `--help`: plain columns that fit the terminal."""

from __future__ import annotations

from typing import Any

from cyclopts.help import HelpEntry, HelpPanel
from rich.console import Console, ConsoleOptions
from rich.text import Text

from spatial_game.cli.terminal import in_columns


class Help:
    """Prints the parts of a help page."""

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:
        """Print the line that shows how to call the command."""
        console.print(Text.assemble("Usage: ", (str(usage).strip(), "bold")), end="\n\n")

    def render_description(self, console: Console, options: ConsoleOptions, description: Any) -> None:
        """Print what the command does."""
        console.print(_plain(description))

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        """Print a group of commands or options: required ones first, `--json` last."""
        if not panel.entries:
            return
        entries = sorted(panel.entries, key=lambda entry: (not entry.required, "--json" in entry.names))
        console.print(Text(f"\n{panel.title}", "bold"))
        if about := _plain(panel.description):
            console.print(f"  {about}")
        rows = [
            (Text(" ".join(entry.display_labels_with_metavar), "cyan"), _about(entry)) for entry in entries
        ]
        console.print(*in_columns(rows, console.width), sep="\n")


def default_in_words(value: Any) -> Any:
    """Return the default that help shows; None for an empty one."""
    return None if value is None or value is False or value == () else value


def _about(entry: HelpEntry) -> str:
    """Return the description of an entry, with its choices and its default."""
    notes = [f"one of {', '.join(entry.choices)}"] if entry.choices else []
    notes += [f"default: {entry.default}"] if entry.default is not None else []
    notes += ["required"] if entry.required else []
    return " ".join([_plain(entry.description), f"({'; '.join(notes)})" if notes else ""]).strip()


def _plain(text: Any) -> str:
    """Return a text of the library as one line."""
    return " ".join(str(getattr(text, "primary_renderable", text)).split())

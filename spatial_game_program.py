"""The program `spatial-game`. It answers Ctrl-C from its first moment, before anything else is imported."""

import os

# What the module signal is made of: that one takes milliseconds to import, in which Ctrl-C gives a traceback.
from _signal import SIG_IGN, SIGINT, default_int_handler, getsignal, signal  # type: ignore[import-not-found]


def main() -> int:
    """Import the command line and run it; return its exit status."""
    if getsignal(SIGINT) is default_int_handler:  # not under nohup
        signal(SIGINT, end_at_once)
    from spatial_game.cli import main as run

    status = run(handlers=[end_at_once])
    signal(SIGINT, SIG_IGN)  # all is done: while Python itself ends, a signal would only hide the status
    return status


def end_at_once(number: int, _: object) -> None:
    """End before a command has begun, or after it has ended: nothing is half written."""
    os.write(2, b"spatial-game: interrupted\n")
    os._exit(128 + number)

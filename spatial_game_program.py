"""The program `spatial-game`. It answers Ctrl-C from its first moment, before anything else is imported."""

import os
import signal


def main() -> int:
    """Import the command line and run it; return its exit status."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not under nohup
        signal.signal(signal.SIGINT, _end)
    from spatial_game.cli import main as run

    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return run()


def _end(number: int, _: object) -> None:
    """End at once: nothing has been written yet."""
    os.write(2, b"spatial-game: interrupted\n")
    os._exit(128 + number)

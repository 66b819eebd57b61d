"""A process that trains one pair for another process: see `spatial_agents.processes`."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any


def main(folder: Path, name: str) -> int:
    """Train the pair of a folder; what there is to say goes to standard output, a JSON object a line."""
    from spatial_agents.one_pair import PairRun, train_pair
    from spatial_agents.recipes import TrainOptions
    from spatial_agents.stopping import stop_signals
    from spatial_agents.trainer import TrainingFailed

    options = TrainOptions.from_dict(json.loads((folder / "config.json").read_text("utf-8"))["options"])
    with stop_signals() as stopped:

        def say(**message: Any) -> None:
            try:
                print(json.dumps(message), flush=True)
            except BrokenPipeError:  # whoever started us is gone
                stopped.set()

        try:
            train_pair(PairRun(options, folder, name), lambda row: say(row=row), stopped)
        except KeyboardInterrupt as stop:
            say(end="stopped", text=str(stop))
            return 130
        except (TrainingFailed, ValueError, OSError) as fault:
            say(end="failed", text=str(fault))
            return 1
        say(end="finished")
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # until we can save
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))

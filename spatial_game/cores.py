"""How many processor cores there are to share work among."""

import os


def usable_cores() -> int:
    """Cores that this process may use: those of the machine, or those that it was given."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

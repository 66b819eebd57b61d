"""What `test_processes` calls in other processes, which need not import pytest for it."""

import os
import signal
import sys
import time


def square(number):
    return number * number


def own_process(number, folder):
    (folder / str(number)).touch()
    assert appears(folder / str(int(number == 0)))  # another call is running, too
    return number, os.getpid()


def fail_or_sleep(number, folder):
    if number == 0:
        while not (folder / "begun").exists():
            time.sleep(0.01)
        raise ValueError("number must not be 0; got 0")
    sleep_until_ended(folder)


def sleep_until_ended(folder):
    """Write a file when this process is asked to end."""
    signal.signal(signal.SIGTERM, lambda *_: (folder / "saved").touch() or sys.exit())
    (folder / "begun").touch()
    time.sleep(60)


def kill_itself(number, folder):
    if number == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(20)
    (folder / "through").touch()


def appears(path, seconds=20):
    end = time.monotonic() + seconds
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.02)
    return path.exists()

"""Functions that the tests of worker processes call by name."""

import os
import signal
import sys
import threading
import time


def double(number):
    print("printed by a task")
    return 2 * number


def process_of(_):
    return os.getpid()


def threads(_):
    return os.environ.get("OMP_NUM_THREADS")


def count_to(number, say):
    for i in range(number):
        say(i)
    return "counted"


def fail(text):
    raise ValueError(text)


class Stubborn(Exception):
    def __init__(self, one, two):
        super().__init__("an error that does not pickle")


def fail_oddly(_):
    raise Stubborn(1, 2)


def die(how):
    if isinstance(how, str):
        sys.stderr.write(f"something\n{how}\n")
        sys.stderr.flush()
        os._exit(3)
    os.kill(os.getpid(), how)


def die_if(name, unlucky):
    if name == unlucky:
        os.kill(os.getpid(), signal.SIGKILL)
    return name


def until_stopped(say):
    stopped = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopped.set())
    say("ready")
    while not stopped.is_set():
        time.sleep(0.01)
    return "saved"


def sleep(process, say):
    say(os.getpid())
    time.sleep(600)

import time

import pytest
import torch
from helpers.tiny_pairs import tiny

from spatial_agents.training import loop
from spatial_agents.training.runs import train
from spatial_agents.training.trainer import Trainer


@pytest.fixture(autouse=True)
def _one_thread(short_trainings):
    """At these sizes a second thread costs more than it brings, and this machine may be shared."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def tiny_options(tmp_path):
    return lambda out="run", **changes: tiny(tmp_path / out, **changes)


@pytest.fixture
def own_options(tiny_options):
    """Options of a run of a few steps, in which code of one's own plays."""
    return lambda out="run", **changes: tiny_options(out, **{"recipe": "local", "steps": 6, **changes})


@pytest.fixture
def in_this_folder(tmp_path, monkeypatch):
    """The words of a tiny training on the command line, for an empty folder whose modules can be imported."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # processes get it
    return "--game tiny --recipe local --evaluation-episodes 50"


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """The folder of a run of 55 steps, not to be changed."""
    [folder] = train(tiny(tmp_path_factory.mktemp("trained") / "run"))
    return folder


@pytest.fixture
def often_logged(monkeypatch):
    """A row of metrics every 4 steps, so that few steps are a run."""
    monkeypatch.setattr(loop, "INTERVAL", 4)


class Killed(Exception):
    pass


@pytest.fixture
def train_and_kill(monkeypatch):
    """A function that trains until a step, and leaves what a process killed then leaves.

    The last checkpoint is from 3 steps before.
    """

    def until(at, options, **own):
        class Mortal(Trainer):
            def step(self):
                if self.step_number == at:
                    raise Killed
                super().step()

            def save(self, path):
                if self.step_number <= max(at - 3, 0):
                    super().save(path)

        with monkeypatch.context() as patch:
            patch.setattr(loop, "Trainer", Mortal)
            with pytest.raises(Killed):
                train(options, **own)

    return until


@pytest.fixture
def wait_for():
    def wait(condition, seconds=300):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "waited too long"
            time.sleep(0.02)

    return wait

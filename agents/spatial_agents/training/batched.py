"""Training the pairs of a run abreast, each into its own folder, as if it were trained alone.

All pairs make the same step. Whoever was stopped between the checkpoints of two pairs resumes pairs at
different steps: those at the same step are then trained abreast, one such group after another.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from collections.abc import Callable

from spatial_agents.training.batched_step import Abreast
from spatial_agents.training.display import Display
from spatial_agents.training.one_pair import PairRun, begin, finish, torch_settings
from spatial_agents.training.run_folder import RunLog, alone, machine
from spatial_agents.training.schedules import longer
from spatial_agents.training.trainer import Trainer, TrainingDiverged

Faults = dict[str, str]


def train_batched(pairs: list[PairRun], display: Display, stopped: threading.Event, _: int = 1) -> Faults:
    """Train the pairs abreast; why some were not trained to the end, by the names of their folders.

    Raises `KeyboardInterrupt` when `stopped` is set, once all are saved.
    """
    options, faults = pairs[0].options, Faults()
    with torch_settings(options), contextlib.ExitStack() as locks:
        members = []
        for pair in pairs:
            try:
                locks.enter_context(alone(pair.folder))
                members.append(Member(pair, begin(pair)))
            except (ValueError, OSError) as fault:
                faults[pair.folder.name] = str(fault)
                display.say(pair.folder.name, f"stopped: {fault}")
        members.sort(key=Member.place)
        for _, group in itertools.groupby(members, key=Member.place):
            _Group(list(group), display, faults).train(stopped)
    return faults


class Member:
    """A pair of the batch: where it is trained, its trainer, and the log of its metrics."""

    def __init__(self, run: PairRun, trainer: Trainer) -> None:
        self.run, self.trainer, self.name = run, trainer, run.folder.name

    def place(self) -> tuple[int, int]:
        """Step and sequence length, which all that are abreast have in common."""
        return self.trainer.step_number, self.trainer.counters.length

    def save(self) -> None:
        """Write its checkpoint."""
        self.trainer.save(self.run.folder / "checkpoint.safetensors")


class _Group:
    """Pairs at the same step, and the training of those that are left."""

    def __init__(self, members: list[Member], display: Display, faults: Faults) -> None:
        self.members, self.display, self.faults = members, display, faults
        self.options, self.first = members[0].run.options, members[0].trainer

    def train(self, stopped: threading.Event) -> None:
        """Train to the end, and finish each pair."""
        with contextlib.ExitStack() as stack:
            for member in self.members:
                show = self._show_of(member.name)
                member.log = stack.enter_context(RunLog(member.run.folder, self.first.step_number, show))
            self._run_steps(stopped)
        for member in self.members:
            trainer = member.trainer
            words = machine(trainer.device, self.options.threads)
            abreast = len(self.members)
            finish(member.run, trainer.weights(), trainer.seconds, f"{words}, {abreast} pairs abreast")
            self.display.say(member.name, "finished")

    def _run_steps(self, stopped: threading.Event) -> None:
        """Step to the end; log, validate, report and save on the way, as `one_pair.run_steps` does."""
        recipe, options = self.options.recipe, self.options
        abreast, saved_at = Abreast([member.trainer for member in self.members]), time.monotonic()
        while self.members and not self.members[0].trainer.finished:
            abreast.step()
            number, at_end = self.members[0].trainer.step_number, self.members[0].trainer.finished
            before = len(self.members)
            if number % recipe.grow_every == 0 or at_end:
                self._close_stretch()
            if time.monotonic() - saved_at >= options.checkpoint_seconds or stopped.is_set() or at_end:
                self._each(Member.save)
                saved_at = time.monotonic()
            if stopped.is_set() and not at_end:
                raise KeyboardInterrupt(f"stopped at step {number}")
            if self.members and len(self.members) < before:
                abreast = Abreast([member.trainer for member in self.members])

    def _close_stretch(self) -> None:
        """Write the rows of metrics; if sequences grow by success, they do for all, by that of the mean."""
        accuracies = []

        def close(member: Member) -> None:
            row = member.trainer.close_stretch()
            member.log.write(row)
            accuracies.append(row["training_accuracy"])

        length = self.members[0].trainer.counters.length
        self._each(close)
        recipe, game = self.options.recipe, self.options.game
        if recipe.grow_by == "success" and accuracies:
            mean = sum(accuracies) / len(accuracies)
            length = longer(length, game) if mean >= recipe.grow_at else length
            for member in self.members:
                member.trainer.counters.length = length

    def _each(self, call: Callable[[Member], None]) -> None:
        """Call for each pair; those that diverged stop here, and the others go on without them."""
        for member in list(self.members):
            try:
                call(member)
            except TrainingDiverged as fault:
                self.members.remove(member)
                self.faults[member.name] = f"{fault}; {member.run.last_checkpoint}"
                self.display.say(member.name, f"stopped: {self.faults[member.name]}")

    def _show_of(self, name: str) -> Callable[[dict[str, object]], None]:
        return lambda row: self.display.show(name, row)

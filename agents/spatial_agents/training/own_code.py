"""Code of one's own in a training: what it must do, and what a config and a card say about it."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import inspect
import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from tokenize import TokenError
from typing import Any, NamedTuple

import numpy as np
import torch

from spatial_agents.network_config import NetworkConfig
from spatial_agents.networks import Networks, PairNetwork, greedy, networks_of, new_networks, seeded_torch
from spatial_agents.pairs.weights import as_arrays, require_storable
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training.episodes import Batch
from spatial_agents.training.objectives import Objective, checked_loss
from spatial_agents.training.schedules import first_length, played_game
from spatial_game.checks import did_you_mean, require, require_takes, shortened
from spatial_game.config import GameConfig
from spatial_game.errors import naming_function
from spatial_game.game.checking import checked_sampler
from spatial_game.game.episodes import Sampler, draw_episodes

UNUSED: Mapping[str, tuple[str, ...]] = {
    "networks": tuple(each.name for each in dataclasses.fields(NetworkConfig)),
    "objective": ("temperature", "straight_through", "entropy_bonus"),
    "sampler": ("every_target", "start_length", "start_visible", "fixed_samples", "unseen"),
}
"""The settings of a recipe without an effect, by the part of `OwnCode` that replaces what they are for."""


class OwnCode(NamedTuple):
    """Code of one's own that a training uses in place of the package's."""

    networks: Networks | None = None
    objective: Objective | None = None
    sampler: Sampler | None = None

    @property
    def unused(self) -> set[str]:
        """The settings of a recipe that have no effect."""
        return {name for part, names in UNUSED.items() if getattr(self, part) for name in names}

    def described(self) -> dict[str, Any]:
        """Return the names, the source and its hash of each part, for the config and the card."""
        codes = {
            part: code if part == "networks" else [code] for part, code in self._asdict().items() if code
        }
        return {part: _described(part, code) for part, code in codes.items()}

    def completed(self, options: TrainOptions) -> TrainOptions:
        """Return the options with a value for each keyword-only parameter of the objective.

        Raises `ValueError` for a value that the objective does not take.
        """
        values = dict(options.objective_options)
        if self.objective is None:
            require(not values, "objective_options must be left out without an objective of your own", values)
            return options
        _require_names("objective", [self.objective])
        parameters = inspect.signature(self.objective).parameters.values()
        defaults = {each.name: each.default for each in parameters if each.kind is each.KEYWORD_ONLY}
        for name in values:
            rule = f"objective_options must be among {', '.join(defaults) or 'none'}, keyword-only parameters"
            require(name in defaults, rule, f"{name}{did_you_mean(name, defaults)}")
        checked = {name: _value(name, values.get(name, usual), usual) for name, usual in defaults.items()}
        require_takes("objective", self.objective, "pair", "batch", "generator")
        return dataclasses.replace(options, objective_options=checked)

    def named_objective(self, options: TrainOptions) -> Objective:
        """Return the objective with its options; its errors begin with its name."""
        assert self.objective
        return partial(
            naming_function(self.objective, name_of_code(self.objective)), **options.objective_options
        )

    def named_sampler(self, config: GameConfig, progress: float = 0.0) -> Sampler:
        """Return the sampler at this share of the steps; its errors begin with its name."""
        assert self.sampler
        parameters = inspect.signature(self.sampler).parameters
        options = [name for name, each in parameters.items() if each.kind is each.KEYWORD_ONLY]
        rule = "sampler must have no keyword-only parameter but progress"
        require({*options} <= {"progress"}, rule, ", ".join(options))
        takes = "progress" in parameters
        named = naming_function(self.sampler, name_of_code(self.sampler))
        return checked_sampler(partial(named, progress=progress) if takes else named, config)

    @seeded_torch(0)  # new weights and dropout take nothing from torch's global generator
    def require_trainable(self, options: TrainOptions) -> None:
        """Let new networks play two episodes of the first step's game, and two of the full one.

        Raises `ValueError` for networks that return something else than messages and scores, for weights that
        cannot be stored, for an objective that returns something else than a loss and figures, and for
        options that have no effect.
        """
        recipe, config = options.recipe, options.config
        self._require_effect(recipe)
        pair = new_networks(config, self.networks or networks_of(recipe.network_config))
        self.described()  # refuses what has no name
        if self.sampler:
            first, second = (self.named_sampler(config)(2, np.random.default_rng(0)) for _ in range(2))
            rule = "sampler must return the same episodes for the same generator, or a resumed run differs"
            require(first == second, rule, "others the second time")
        require_storable(as_arrays(pair.state_dict()))
        for length in (first_length(recipe, config), config.sequence_length):
            played = played_game(config, length, config.num_shown)
            batch = Batch.of(draw_episodes(played, 2, np.random.default_rng(0)))
            if self.networks:
                _require_play(pair, batch, config)
            if self.objective:
                generator = torch.Generator().manual_seed(0)
                checked_loss(self.named_objective(options)(pair, batch, generator))

    def _require_effect(self, recipe: Recipe) -> None:
        """Raise `ValueError` for a setting without an effect that is not as the recipe has it."""
        usual = Recipe(recipe.recipe) if self.networks else Recipe(recipe.recipe, recipe.inputs)
        for name in sorted(self.unused & {*Recipe.names()}):
            part, value = next(part for part, names in UNUSED.items() if name in names), getattr(recipe, name)
            require(value == getattr(usual, name), f"{name} must be left out with your own {part}", value)


PACKAGE = OwnCode()
"""No code of one's own: all is the package's."""


def _described(argument: str, codes: Sequence[Any]) -> dict[str, Any]:
    """Return the names of classes or functions, their source, and its SHA-256; None where it is unknown."""
    _require_names(argument, codes)
    try:
        source = "\n\n".join(map(inspect.getsource, codes))
    except (OSError, TypeError, SyntaxError, TokenError):  # such as a class of a notebook
        source = None
    source_hash = None if source is None else hashlib.sha256(source.encode()).hexdigest()
    return {"name": " and ".join(map(name_of_code, codes)), "source_hash": source_hash, "source": source}


def _require_names(argument: str, codes: Sequence[Any]) -> None:
    """Raise `ValueError` unless these have names, by which a run and its card know them."""
    kinds = "classes or functions with a name" if argument == "networks" else "a function made with def"
    rule = f"{argument} must be {kinds}, by which its run and card know it"
    for code in codes:
        fits = hasattr(code, "__qualname__") if argument == "networks" else inspect.isfunction(code)
        require(fits and "<lambda>" not in code.__qualname__, rule, shortened(code))


def _value(name: str, value: Any, default: Any) -> Any:
    """Return a value of a parameter of an objective, as the type of its default, a text, number or bool.

    Raises `ValueError` for another type, and for a parameter that is no option.
    """
    taken = {*GameConfig.names(), *TrainOptions.names(), *Recipe.names()}.difference(UNUSED["objective"])
    require(name not in taken, "parameters of an objective must not be named as an option", name)
    shown = "none" if default is inspect.Parameter.empty else shortened(default)
    rule = f"default of {name} must be a number, a text or true or false"
    require(type(default) in (bool, int, float, str), rule, shown)
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(default, float) and type(value) is int:
        value = float(value)
    fits = type(value) is type(default) and (type(value) is not float or math.isfinite(value))
    kind = "true or false" if type(default) is bool else f"finite, and of the type of its default {shown}"
    require(fits, f"{name} must be {kind}", shortened(value))
    return value


def name_of_code(code: Any) -> str:
    """Return the name of a class or function as `module:name`."""
    module = code.__module__
    if module in ("__main__", "__mp_main__"):  # a script, also in its processes
        with contextlib.suppress(OSError, TypeError):
            module = Path(inspect.getfile(code)).stem
    return f"{module}:{code.__qualname__}"


@torch.no_grad()
def _require_play(pair: PairNetwork, batch: Batch, config: GameConfig) -> None:
    """Raise `ValueError` unless a pair's networks take their arguments, and return symbols and scores."""
    require_takes("sender", pair.sender.forward, "window", "choose_symbol")
    require_takes("receiver", pair.receiver.forward, "message", "sequence", "candidates")
    message = pair.sender(batch.window, greedy)
    _require_shape("sender", message, (2, config.message_length, config.vocab_size))
    one_hot = bool((message.sum(dim=2) == 1).all() and (message.max(dim=2).values == 1).all())
    require(one_hot, "sender must return the symbols of choose_symbol", message.tolist())
    scores = pair.receiver(message, batch.sequence, batch.candidates)
    _require_shape("receiver", scores, tuple(batch.candidates.shape))


def _require_shape(role: str, returned: Any, shape: tuple[int, ...]) -> None:
    got = type(returned).__name__
    if isinstance(returned, torch.Tensor):
        got = f"{returned.dtype} {tuple(returned.shape)}"
    rule = f"{role} must return a tensor of torch.float32 with shape {shape}"
    require(got == f"torch.float32 {shape}", rule, got)

"""The sizes of a game: what they imply, what is refused, and who can play which game."""

import copy
import dataclasses
import json
import pickle
import re

import numpy as np
import pytest
from helpers.strategies import configs, grids
from hypothesis import given, settings

from spatial_game.config import GameConfig

NUMBERS = [field.name for field in dataclasses.fields(GameConfig) if field.name != "shape"]


def test_the_defaults_are_the_papers_game():
    config = GameConfig()
    assert (config.sequence_length, config.num_integers, config.window_radius) == (60, 60, 2)
    assert (config.num_distractors, config.vocab_size, config.message_length) == (4, 26, 3)
    assert (config.window_size, config.num_candidates, config.integers) == (5, 5, range(60))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"sequence_length": -5}, "sequence_length must be in 1..32767; got -5"),
        ({"sequence_length": 10**30}, f"sequence_length must be in 1..32767; got {10**30}"),
        ({"sequence_length": 4}, "window_radius must satisfy 2*radius+1 <= sequence_length; got 2 and 4"),
        ({"num_integers": 59}, "num_integers must be at least sequence_length; got 59 and 60"),
        (
            {"num_distractors": 60},
            "num_distractors must be less than sequence_length, from which they are drawn; got 60 and 60",
        ),
        ({"vocab_size": 1}, "vocab_size must be in 2..32767; got 1"),
        ({"message_length": 1001}, "message_length must be in 1..1000; got 1001"),
        ({"num_visible": 0}, "num_visible must be at least 1; got 0"),
        ({"num_visible": 5}, "num_visible must be in 1..4, the window's cells without the mask; got 5"),
        ({"shape": (3, 3, 3, 3, 3)}, "shape must have 1 to 4 axes; got (3, 3, 3, 3, 3)"),
        ({"shape": ()}, "shape must have 1 to 4 axes; got ()"),
        ({"shape": (8, -8)}, "shape must hold numbers of at least 1; got (8, -8)"),
        ({"shape": (200, 200)}, "shape must have at most 32767 cells; got (200, 200)"),
        (
            {"shape": (8, 4)},
            "window_radius must satisfy 2*radius+1 <= each number of shape; got 2 and (8, 4)",
        ),
        (
            {"shape": (8, 8), "sequence_length": 20},
            "sequence_length must be left out or be the number of cells of shape; got 20 and (8, 8)",
        ),
    ],
)
def test_sizes_that_cannot_be_played_are_refused(fields, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        GameConfig(**fields)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *((name, value) for name in NUMBERS for value in (2.0, "7", True, np.float32(5), [5])),
        ("window_radius", None),
        *(("shape", value) for value in (8, "88", b"88", (8.0, 8), (True, 8))),
    ],
    ids=str,
)
def test_what_is_not_a_whole_number_is_refused(field, value):
    rule = "hold whole numbers, such as (8, 8)" if field == "shape" else "be a whole number"
    with pytest.raises(TypeError, match=f"^{re.escape(f'{field} must {rule}; got {value!r}')}$"):
        GameConfig(**{field: value})


def test_edges_name_every_mask_column():
    sequence, grid = GameConfig(), GameConfig(shape=(4, 4), window_radius=1)
    solid, wide = GameConfig(shape=(3, 3, 3), window_radius=1), GameConfig(shape=(6, 6))
    assert sequence.edges == ("begin", "begin+1", "middle", "end-1", "end")
    assert grid.edges[:5] == ("top left", "top", "top right", "left", "middle")
    assert grid.edges[5:] == ("right", "bottom left", "bottom", "bottom right")
    assert wide.edges[:4] == ("top left", "top left+1", "top", "top right-1")
    assert solid.edges[:2] == ("(begin, begin, begin)", "(begin, begin, middle)")
    for config in (sequence, grid, wide, solid):
        assert config.edges[config.window_size // 2] == "middle"
        assert len(set(config.edges)) == config.window_size


def test_offsets_reach_across_the_window():
    assert GameConfig().offsets == (-4, -3, -2, -1, 1, 2, 3, 4)
    grid = GameConfig(shape=(8, 9), window_radius=1)
    assert grid.offsets[:5] == ((-2, -2), (-2, -1), (-2, 0), (-2, 1), (-2, 2))
    assert len(grid.offsets) == 24
    assert (grid.sequence_length, grid.num_integers, grid.window_size) == (72, 72, 9)
    assert (grid.num_hidden, GameConfig(num_visible=3).num_hidden) == (0, 1)


def test_the_signature_tells_games_apart():
    assert GameConfig().signature == "L60 w2 c5 | v26x3"
    assert GameConfig(sequence_length=20, num_integers=60).signature == "L20/60 w2 c5 | v26x3"
    assert GameConfig(shape=(8, 9), window_radius=1, num_visible=1).signature == "L8x9 w1 seen1 c5 | v26x3"


@settings(max_examples=20, deadline=None)
@given(configs() | grids())
def test_a_config_is_a_value(config):
    assert GameConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config
    assert pickle.loads(pickle.dumps(config)) == copy.deepcopy(config) == config
    assert type(config.changed(vocab_size=np.int64(5)).vocab_size) is int
    assert len({config, config.changed(), config.changed(vocab_size=config.vocab_size + 1)}) == 2


def test_an_unknown_field_is_refused():
    with pytest.raises(ValueError, match=r"^GameConfig fields must be among sequence_length, .*'points'$"):
        GameConfig.from_dict({"points": 60})
    with pytest.raises(TypeError, match=r"^got an unexpected keyword argument 'points'; the sizes .*"):
        GameConfig().changed(points=60)
    with pytest.raises(TypeError, match=r"'num_envs'; to play many games at once, use ParallelVectorEnv"):
        GameConfig().changed(num_envs=64)


def test_games_have_names():
    grid = GameConfig(shape=(8, 8), num_visible=1)
    assert grid.changed(game="small") == GameConfig().changed(game="small") == GameConfig.small()
    assert grid.changed(game="tiny", vocab_size=5) == GameConfig.tiny().changed(vocab_size=5)
    with pytest.raises(ValueError, match=r"^game must be one of small, tiny; got 'smal' \(did you mean"):
        GameConfig().changed(game="smal")


def test_a_sequence_is_a_grid_of_one_axis():
    assert GameConfig(shape=(60,)) == GameConfig(shape=[60]) == GameConfig(num_visible=4) == GameConfig()
    assert GameConfig(shape=(20,)) == GameConfig(20) == GameConfig(20, shape=(20,))
    assert list(GameConfig().to_dict()) == NUMBERS[:-1]


@pytest.mark.parametrize(
    ("own", "sizes", "game"),
    [
        ({}, {"sequence_length": 20, "num_integers": 60}, GameConfig(20, num_integers=60)),
        ({"num_integers": 90}, {"sequence_length": 60}, GameConfig(60)),
        ({"num_integers": 90}, {"vocab_size": 5}, GameConfig(num_integers=90, vocab_size=5)),
        ({"vocab_size": 5}, {"shape": (8, 8)}, GameConfig(shape=(8, 8), vocab_size=5)),
        ({"shape": (8, 8), "num_visible": 3}, {"sequence_length": 60}, GameConfig(num_visible=3)),
    ],
)
def test_another_length_or_shape_has_as_many_integers_as_cells(own, sizes, game):
    assert GameConfig(**own).changed(**sizes) == game


@pytest.mark.parametrize("field", dataclasses.fields(GameConfig), ids=lambda field: field.name)
def test_an_option_that_is_none_is_not_given(field):
    game = GameConfig(9, num_integers=20, num_visible=3)
    whole = dataclasses.replace(game, num_visible=None)
    assert game.changed(**{field.name: None}) == (whole if field.name == "num_visible" else game)


GRID = {"shape": (8, 8), "window_radius": 1}


@pytest.mark.parametrize(
    ("trained", "played", "reason"),
    [
        ({}, {"sequence_length": 100, "num_distractors": 9}, None),
        ({}, {"vocab_size": 13}, "vocab_size must be 26, as it was made for; got 13"),
        ({}, {"message_length": 2}, "message_length must be 3, as it was made for; got 2"),
        ({}, {"window_radius": 1}, "window_radius must be 2, as it was made for; got 1"),
        ({}, {"num_visible": 1}, "num_visible must be all, as it was made for; got 1"),
        ({"num_visible": 1}, {}, None),
        (GRID, GRID, None),
        (GRID, GRID | {"shape": (8, 9)}, "shape must be (8, 8), as it was made for; got (8, 9)"),
        ({"window_radius": 1}, GRID, "shape must be (60,), as it was made for; got (8, 8)"),
    ],
)
def test_which_games_a_pair_can_play(trained, played, reason):
    assert GameConfig(**trained).incompatibility(GameConfig(**played)) == reason

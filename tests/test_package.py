"""The names that the package offers at its top."""

import spatial_game
import spatial_game.language


def test_every_offered_name_is_there():
    for package in (spatial_game, spatial_game.language):
        for name in package.__all__:
            assert getattr(package, name) is not None
    assert (
        set(spatial_game._MODULE_OF) | {"__version__"} == set(spatial_game.__all__) == set(dir(spatial_game))
    )


def test_other_names_are_not():
    assert not hasattr(spatial_game, "GameConfiguration")

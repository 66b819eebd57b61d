"""The reproduction of one pair of oracles, made once."""

import pytest
from helpers.reproductions import SIZES, oracle_pair

from spatial_game.reproduction.kept_results import pair_result
from spatial_game.reproduction.results import Results


@pytest.fixture(scope="session")
def reproduced(tmp_path_factory):
    """The folder of the reproduction."""
    return tmp_path_factory.mktemp("reproduction")


@pytest.fixture(scope="session")
def results(reproduced):
    """Measured by code without uncommitted edits, whatever this checkout has."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("spatial_game.provenance.commit", lambda: "abc")
        return Results({"oracle": pair_result(oracle_pair(), reproduced, SIZES, seed=1)}, SIZES, 1)

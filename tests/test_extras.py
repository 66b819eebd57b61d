"""Adapters whose library is missing."""

from __future__ import annotations

import pytest

from spatial_game.envs.adapters.extra import needs


def test_the_error_names_the_extra() -> None:
    fault = r"^this adapter needs Sea; install it in the clone with: pip install -e '\.\[deep\]'$"
    with pytest.raises(ModuleNotFoundError, match=fault) as raised, needs("Sea", "deep"):
        import no_such_library  # noqa: F401
    assert raised.value.name == "no_such_library"


def test_other_errors_pass() -> None:
    with pytest.raises(ZeroDivisionError), needs("nothing", "none"):
        _ = 1 / 0

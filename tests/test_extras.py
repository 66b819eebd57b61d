"""What is said where a library is missing."""

import pytest

from spatial_game.extras import needs


def test_the_error_names_the_extra():
    fault = r"^no_such_library is not installed; install it in the clone with: pip install -e '\.\[deep\]'$"
    with pytest.raises(ModuleNotFoundError, match=fault) as raised, needs("deep"):
        import no_such_library.part  # noqa: F401
    assert raised.value.name == "no_such_library"


def test_other_errors_pass():
    with pytest.raises(ZeroDivisionError), needs("none"):
        _ = 1 / 0

"""Each library installs by the line of its example, and takes the environments. Each test takes minutes."""

import pytest
from run import EXAMPLE_OF, try_library


@pytest.mark.slow
@pytest.mark.parametrize("versions", ["newest", "lowest"])
@pytest.mark.parametrize("library", EXAMPLE_OF)
def test_a_library_installs_as_documented_and_takes_the_environments(library, versions):
    assert try_library(library, versions)

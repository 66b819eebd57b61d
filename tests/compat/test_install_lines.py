"""Each library installs by the line of its example, and takes the environments. Each test takes minutes."""

import pytest
from run import EXAMPLE_OF, try_library, versions_in


def test_the_version_of_a_library_is_named():
    frozen = "numpy==2.4.6\nsb3_contrib==2.9.2\nstable_baselines3==2.9.2\ntorchvision==0.28.0\n"
    assert versions_in(frozen, "sb3-contrib") == "numpy==2.4.6 sb3_contrib==2.9.2"
    assert versions_in(frozen, "stable-baselines3") == "numpy==2.4.6 stable_baselines3==2.9.2"


@pytest.mark.slow
@pytest.mark.parametrize("versions", ["newest", "lowest"])
@pytest.mark.parametrize("library", EXAMPLE_OF)
def test_a_library_installs_as_documented_and_takes_the_environments(library, versions):
    assert try_library(library, versions)

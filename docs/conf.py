"""How the documentation is built: `sphinx-build -W -b html docs docs/_build/html`."""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import api
import figures
import generate

import spatial_game

project = "spatial-game"
author = "The spatial-game maintainers"
copyright = "2026, the spatial-game maintainers"
release = version = spatial_game.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build", "_generated/parts"]
myst_enable_extensions = ["colon_fence", "deflist", "substitution"]
myst_substitutions = figures.figures()
myst_heading_anchors = 3
nitpicky = False
suppress_warnings = ["misc.highlighting_failure", "ref.python"]  # short names of types may be several

# Docstrings are written for help(), with `code` in single backticks.
default_role = "code"
# Libraries that an extra brings; pages on what needs them are built without them as well.
_OPTIONAL = (
    *("torch", "safetensors", "tensorboard", "matplotlib", "stable_baselines3", "sb3_contrib", "supersuit"),
    *("tensordict", "torchrl", "ray", "benchmarl", "agilerl", "tianshou"),
)
autodoc_mock_imports = [name for name in _OPTIONAL if find_spec(name) is None]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_type_aliases = api.type_aliases()
add_module_names = False  # each module has a page of its own
python_maximum_signature_line_length = 88
autodoc_default_options = {
    "members": True,
    "undoc-members": True,
    "ignore-module-all": True,
}

html_theme = "furo"
html_title = f"spatial-game {release}"
html_show_sphinx = False
html_copy_source = False
html_static_path = ["_static"]
html_extra_path = ["_generated/site"]  # whole pages, which generate.py writes
html_css_files = ["custom.css"]


def check_api(app, error):
    """Fail a build whose API lacks a public name."""
    lacking = [] if error else api.undocumented(app.env.domaindata["py"]["objects"])
    if lacking:
        some = ", ".join(lacking[:10])
        raise ValueError(f"the API must have every public name; it lacks {len(lacking)}: {some}")


def setup(app):
    """Write the generated pages before Sphinx reads the folder, and tidy docstrings on their way."""
    app.connect("config-inited", lambda *_: generate.write_all(Path(__file__).parent / "_generated"))
    app.connect("autodoc-process-signature", api.plain_signature)
    app.connect("autodoc-process-docstring", api.code_in_docstring)
    app.connect("autodoc-process-docstring", api.tables_in_docstring)
    app.connect("autodoc-process-docstring", api.list_of_names)
    app.add_transform(api.LinkNames)
    app.connect("build-finished", check_api, priority=900)  # after the theme's

"""How the documentation is built: `sphinx-build -W -b html docs docs/_build/html`."""

import re
from importlib.util import find_spec

import spatial_game

project = "spatial-game"
author = "The spatial-game maintainers"
copyright = "2026, the spatial-game maintainers"
release = version = spatial_game.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
nb_execution_mode = "off"  # notebooks are stored with their output
nb_merge_streams = True
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure", "ref.python"]  # short names of types may be several

# Docstrings are written for help(), with `code` in single backticks.
default_role = "code"
# Libraries that an extra brings; pages on what needs them are built without them as well.
_OPTIONAL = ("torch", "tensorboard", "stable_baselines3", "sb3_contrib", "tensordict", "torchrl")
autodoc_mock_imports = [name for name in _OPTIONAL if find_spec(name) is None]
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_type_aliases = {
    name: name for name in ("IntArray", "FloatArray", "Float32Array", "Symbols", "Referent", "Sense")
}
python_maximum_signature_line_length = 88
autodoc_default_options = {"members": True, "undoc-members": True}

html_theme = "furo"
html_title = f"spatial-game {release}"
html_show_sphinx = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["custom.css"]


def plain(app, what, name, obj, options, *texts):
    """Write the names of types in a signature as they are in the source: IntArray."""
    return tuple(text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text) for text in texts)


def setup(app):
    """Tidy signatures on their way."""
    app.connect("autodoc-process-signature", plain)

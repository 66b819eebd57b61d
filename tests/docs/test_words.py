"""Phrases that nobody says aloud stay out of pages, help, messages, docstrings and comments."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PHRASES = re.compile(
    r"\b(?:so many|so much less|those with|tells? to which|as such|or nearly|still to come|that is none"
    r"|a word of its own|symbols of (?:its|their) own|comes? along|no value apart|most of them badly"
    r"|(?:reads?|reading) .{0,20} to exactly one)\b|\bAt last\b|Done in \{|\bwears\b"
)
NOT_OURS = re.compile(r"/(?:_generated|_build|_static|notebooks|libraries|pretrained)/")


def test_nothing_is_written_that_nobody_would_say():
    pages = [ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"]
    for folder in ("agents", "benchmarks", "docs", "examples", "experiments", "maintenance", "spatial_game"):
        pages += [path for kind in ("md", "py", "js", "html") for path in (ROOT / folder).rglob(f"*.{kind}")]
    found = {
        path.relative_to(ROOT).as_posix(): match[0]
        for path in pages
        if not NOT_OURS.search(path.as_posix())
        for match in PHRASES.finditer(re.sub(r"\s+", " ", path.read_text("utf-8")))
    }
    assert not found

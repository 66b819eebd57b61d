"""Which of the pairs of a name or a run is which: the rule that an index is a number in a name.

Nothing here needs torch.
"""

from __future__ import annotations

from pathlib import Path


def numbered_pairs(folder: Path) -> dict[int, Path]:
    """The weights of the pairs of a bundled name or of a run of several, by the index that is in their names.

    An index that is not there is that of a pair which did not finish.
    """
    files = {int(path.stem): path for path in folder.glob("*.safetensors") if path.stem.isdigit()}
    runs = {
        int(path.parent.name): path
        for path in folder.glob("[0-9]*/pair.safetensors")
        if path.parent.name.isdigit()
    }
    return dict(sorted((files or runs).items()))

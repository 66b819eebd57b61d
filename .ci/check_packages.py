"""Does the wheel hold what it must, and nothing more? `python .ci/check_packages.py DIST`."""

from __future__ import annotations

import collections
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parent.parent
PACKAGES = {"spatial_game": ROOT / "spatial_game", "spatial_agents": ROOT / "agents" / "spatial_agents"}
LARGEST = 13_500_000
"""Bytes that a wheel may have: weights are the most of it."""


def main() -> None:
    """Compare, and print what there is."""
    (wheel,), (source,) = (sorted(Path(sys.argv[1]).glob(pattern)) for pattern in ("*.whl", "*.tar.gz"))
    with zipfile.ZipFile(wheel) as archive:
        held = {info.filename: info.file_size for info in archive.infolist()}
        metadata = next(name for name in held if name.endswith(".dist-info/METADATA"))
        fields = Parser().parsestr(archive.read(metadata).decode())
    info = str(PurePosixPath(metadata).parent)
    inside = {name for name in held if not name.startswith(info)}
    wanted = {
        f"{package}/{path.relative_to(folder).as_posix()}"
        for package, folder in PACKAGES.items()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    require("files that differ between wheel and packages", sorted(inside ^ wanted), [])
    require("licences in the wheel", sum(name.startswith(f"{info}/licenses/") for name in held), 2)
    require("bytes of the wheel beyond the limit", max(wheel.stat().st_size - LARGEST, 0), 0)
    require("the licence", fields["License-Expression"], "MIT AND OFL-1.1")
    linked = [folder for folder in ("](docs/", "](examples/") if folder in fields.get_payload()]
    require("folders to which the description links", linked, [])
    with tarfile.open(source) as archive:
        kept = {name.partition("/")[2] for name in archive.getnames()}
    lacking = {"README.md", "LICENSE", "CONTRIBUTING.md", "tests/test_package.py", "docs/conf.py"} - kept
    require("files that the source distribution lacks", sorted(lacking), [])
    sizes = collections.Counter[str]()
    for name in inside:
        sizes[PurePosixPath(name).suffix] += held[name]
    print(*(f"{suffix:14}{size / 1000:10.1f} kB" for suffix, size in sizes.most_common()), sep="\n")
    print(
        *(f"{package.name}: {package.stat().st_size / 1000:.0f} kB" for package in (wheel, source)), sep="\n"
    )


def require(what: str, found: object, expected: object) -> None:
    """End unless what was found is what was expected."""
    if found != expected:
        sys.exit(f"error: {what}: must be {expected}; got {found}")


if __name__ == "__main__":
    main()

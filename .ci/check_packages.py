"""Does the wheel hold what it must, and nothing more? `python .ci/check_packages.py DIST`."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parent.parent
PACKAGES = {"spatial_game": ROOT / "spatial_game", "spatial_agents": ROOT / "agents" / "spatial_agents"}
KINDS = {".py": "modules", ".typed": "typing marks", ".ttf": "fonts", ".safetensors": "weights"}
KINDS |= {
    ".json": "model cards",
    ".gz": "lexicons",
    ".csv": "metrics",
    ".txt": "licences",
    ".css": "styles",
    ".js": "scripts",
    ".html": "pages",
}
LARGEST = 13_000_000
"""Bytes that a wheel may have: weights are the most of it."""


def main() -> None:
    """Compare, and print what there is."""
    (wheel,), (source,) = (sorted(Path(sys.argv[1]).glob(pattern)) for pattern in ("*.whl", "*.tar.gz"))
    with zipfile.ZipFile(wheel) as archive:
        held = {info.filename: info.file_size for info in archive.infolist()}
        metadata = next(name for name in held if name.endswith(".dist-info/METADATA"))
        fields = Parser().parsestr(archive.read(metadata).decode())
    info = PurePosixPath(metadata).parent.name
    inside = {name for name in held if not name.startswith(info)}
    wanted = {f"{package}/{path}" for package, folder in PACKAGES.items() for path in files(folder)}
    require(
        inside == wanted, f"the wheel must hold the packages' files; differs in {sorted(inside ^ wanted)}"
    )
    licences = {name for name in held if name.startswith(f"{info}/licenses/")}
    require(len(licences) == 2, f"the wheel must hold two licences; got {sorted(licences)}")
    require(
        wheel.stat().st_size < LARGEST, f"the wheel must be under {LARGEST} bytes; got {wheel.stat().st_size}"
    )
    expression = fields["License-Expression"]
    require(expression == "MIT AND OFL-1.1", f"the licence must be an SPDX expression; got {expression}")
    body = fields.get_payload()
    require("](docs/" not in body and "](examples/" not in body, "the description must not link to files")
    with tarfile.open(source) as archive:
        kept = {name.partition("/")[2] for name in archive.getnames()}
    lacking = {"README.md", "LICENSE", "CONTRIBUTING.md", "tests/test_package.py", "docs/conf.py"} - kept
    require(not lacking, f"the source distribution lacks {sorted(lacking)}")
    for suffix in dict.fromkeys(PurePosixPath(name).suffix for name in sorted(inside)):
        sizes = [held[name] for name in inside if PurePosixPath(name).suffix == suffix]
        print(f"{KINDS[suffix]:12} {suffix:12} {len(sizes):4} files {sum(sizes) / 1000:8.1f} kB")
    for package in (wheel, source):
        print(f"{package.name}: {package.stat().st_size / 1000:.0f} kB")


def files(folder: Path) -> set[str]:
    """The files of a package that belong into a wheel."""
    found = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix() for path in found}


def require(holds: bool, rule: str) -> None:
    """End with the rule unless it holds."""
    if not holds:
        sys.exit(f"error: {rule}")


if __name__ == "__main__":
    main()

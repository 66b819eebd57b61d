"""What a result depends on besides its settings: the code, its commit and the processor."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from importlib.util import find_spec
from pathlib import Path

from threadpoolctl import threadpool_info

CHANGED = ", changed"
"""What follows the commit of code with uncommitted changes."""


def commit() -> str | None:
    """Return the commit that this package's code is from; None outside a checkout or without git.

    `CHANGED` follows it if a file of the code was changed or added since.
    """
    folder = Path(__file__).parent

    def git(*words: str) -> str:
        command = ["git", "-C", str(folder), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    try:
        git("ls-files", "--error-unmatch", "__init__.py")  # not a copy that is installed within a checkout
        name = git("rev-parse", "--short=10", "HEAD")
        changed = git("status", "--porcelain", "--", ".", ":(top)agents")
    except (OSError, subprocess.CalledProcessError):
        return None
    return name + CHANGED if changed else name


def hash_of_code() -> str:
    """Return the hash of all Python files of this package, and of `spatial_agents` where it is installed."""
    digest = hashlib.sha256()
    for package in ("spatial_game", "spatial_agents"):
        spec = find_spec(package)
        for folder in spec.submodule_search_locations or () if spec else ():
            for path in sorted(Path(folder).rglob("*.py")):
                name = path.relative_to(folder).as_posix().encode()
                digest.update(name + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def processor() -> str:
    """Return the name of this machine's processor, or of its kind where the system does not say more."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def blas() -> list[str]:
    """Return the loaded BLAS libraries, each with its version and the processors that its code is for."""
    libraries = [library for library in threadpool_info() if library["user_api"] == "blas"]
    texts = (
        " ".join(str(library[key]) for key in ("internal_api", "version", "architecture") if library.get(key))
        for library in libraries
    )
    return sorted(set(texts))

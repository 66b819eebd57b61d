"""Leave ONNX Runtime out of what wheels for Linux with musl require: it has no wheels there.

No environment marker tells musl from other systems, so a wheel for it has its own requirements and its own
tag. pip prefers it there to the wheel for any system. It is built on such a system, or anywhere with its tag:

    SPATIAL_GAME_PLATFORM=musllinux_1_2_x86_64 python -m build --wheel
"""

from __future__ import annotations

import os
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface
from packaging.tags import platform_tags

MISSING = "onnxruntime"


def musl() -> str | None:
    """Return the platform tag for which to build, if it is one of musl."""
    platform = os.environ.get("SPATIAL_GAME_PLATFORM") or next(iter(platform_tags()))
    return platform if platform.startswith("musllinux") else None


class Requirements(MetadataHookInterface):
    """Sets the requirements."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Leave out what has no wheels."""
        needs = metadata["dependencies"]
        metadata["dependencies"] = [need for need in needs if not (musl() and need.startswith(MISSING))]


class Tag(BuildHookInterface[Any]):
    """Sets the tag of the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the platform, if its requirements are its own."""
        if musl():
            build_data["tag"] = f"py3-none-{musl()}"

"""Pages in a real browser without a head: skipped where Playwright or a Chromium is missing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
LOCAL = ("file:", "data:", "blob:", "about:")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that use a browser."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.program(*CHROMIUMS))


@pytest.fixture(scope="session")
def browser() -> Iterator[tuple[Any, list[str]]]:
    """Yield a page without a network, and the faults in its console and its requests."""
    playwright = pytest.importorskip("playwright.sync_api")
    path = next(filter(None, map(shutil.which, CHROMIUMS)))
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=arguments)
        page, faults = browser.new_context(offline=True).new_page(), []
        page.set_default_timeout(30_000)
        page.on("console", lambda m: faults.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda r: None if r.url.startswith(LOCAL) else faults.append(r.url))
        yield page, faults
        browser.close()


@pytest.fixture
def fresh_page(browser: tuple[Any, list[str]]) -> Iterator[Any]:
    """Yield an empty page. A fault in its console or a request is an error at the end."""
    page, faults = browser
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto("about:blank")
    faults.clear()
    yield page
    assert faults == []

"""A headless Chromium for tests: Debian's, driven by Playwright."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

TIMEOUT_MS = 30_000
"""Also of `expect`, which waits 5 s by default. The first recall of a process takes longer than
that if tests run on all cores."""


@contextmanager
def chromium() -> Generator[Browser, None, None]:
    """A browser without a window."""
    program = shutil.which("chromium")
    if program is None:
        pytest.fail("chromium is not installed; `apt-get install chromium` brings it")
    expect.set_options(timeout=TIMEOUT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def new_page(browser: Browser, *, bypass_csp: bool = False) -> Generator[Page, None, None]:
    """A new page; an error in its scripts or a breach of its content policy fails the test."""
    complaints: list[str] = []

    def hear(kind: str, text: str) -> None:
        if kind == "error" and "Failed to load resource" not in text:  # the server refused a call
            complaints.append(text)

    page = browser.new_page(viewport={"width": 1200, "height": 900}, bypass_csp=bypass_csp)
    page.set_default_timeout(TIMEOUT_MS)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: hear(message.type, message.text))
    yield page
    page.close()
    assert complaints == []

"""`secondhop serve` in its own process: it prints its address and shuts down in order."""

import signal
import subprocess
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.mcp.mcp_world import MARA, command, environment
from tests.server.served_world import new_store, wait_for

from secondhop.recall import Recall

pytestmark = pytest.mark.slow

HERE = f"/v1/entities/{MARA}"


@contextmanager
def served(store: Path, *words: str) -> Generator[tuple[subprocess.Popen[str], str], None, None]:
    """(process, first line that it prints on standard error)."""
    line = command(store, *words)
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True, env=environment()) as child:
        assert child.stderr is not None
        try:
            yield child, child.stderr.readline()
        finally:
            child.kill()


def url_in(line: str) -> str:
    assert line.startswith("secondhop: serving http://"), line
    return line.split()[2]


async def test_what_was_acknowledged_survives_the_end_of_the_server(tmp_path: Path) -> None:
    store = tmp_path / "store"
    acknowledged: list[str] = []

    def remember(number: int) -> None:
        try:
            answer = httpx.post(
                f"{url}{HERE}/remember", json={"text": f"Note {number} is kept."}, timeout=30
            )
        except httpx.TransportError:
            return
        if answer.status_code == 201:
            acknowledged.append(answer.json()["memory_id"])
            if len(acknowledged) == 10:
                child.send_signal(signal.SIGTERM)

    with served(store, "serve", "--port", "0", "--rate", "0") as (child, line):
        url = url_in(line)
        assert "without tokens" in line
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(remember, range(60)))
        assert child.wait(timeout=30) == -signal.SIGTERM

    async with await Recall.aopen(store, entity=MARA, embedder="hashing") as recall:
        kept = {one.memory_id for one in await recall.memories.alist(limit=100)}
    assert len(acknowledged) >= 10
    assert set(acknowledged) <= kept


def test_a_store_with_tokens_asks_for_one(tmp_path: Path) -> None:
    tokens = new_store(tmp_path / "store")
    with served(tmp_path / "store", "serve", "--port", "0") as (_, line):
        url = url_in(line)
        bearer = {"Authorization": f"Bearer {tokens[MARA]}"}
        assert httpx.get(f"{url}{HERE}").status_code == 401
        assert httpx.get(f"{url}{HERE}", headers=bearer).json()["memories"] == 10


def test_without_tokens_other_machines_are_not_served(tmp_path: Path) -> None:
    line = command(tmp_path, "serve", "--host", "0.0.0.0", "--port", "0")
    done = subprocess.run(
        line, capture_output=True, text=True, env=environment(), timeout=60, check=False
    )
    assert done.returncode == 2
    assert "tokens create" in done.stderr


def test_ui_opens_its_page_with_a_token_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new_store(tmp_path / "store")
    browser, asked = tmp_path / "browser", tmp_path / "asked"
    browser.write_text(f'#!/bin/sh\necho "$1" > {asked}\n', encoding="utf-8")
    browser.chmod(0o700)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    line = command(tmp_path / "store", "ui", "--entity", MARA)
    pipe = subprocess.PIPE
    with subprocess.Popen(line, stdout=pipe, stderr=pipe, text=True, env=environment()) as child:
        try:
            assert child.stdout is not None
            assert child.stderr is not None
            page = child.stdout.readline().removeprefix("open ").strip()
            url, _, given = page.partition("/#")
            token = dict(one.split("=", 1) for one in given.split("&"))["token"]
            wait_for(asked.exists)

            assert "<title>secondhop" in httpx.get(f"{url}/").text
            bearer = {"Authorization": f"Bearer {token}"}
            assert httpx.get(f"{url}{HERE}", headers=bearer).json()["memories"] == 10
            assert httpx.get(f"{url}{HERE}").status_code == 401
            assert asked.read_text(encoding="utf-8").strip() == page
            child.kill()
            assert "http" not in child.stderr.read()  # no address that asks for the token
        finally:
            child.kill()

"""Setting LangSmith's own environment variables is enough to send it the steps of a recall."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

import pytest

pytestmark = pytest.mark.slow

PROGRAM = """
from langchain_core.tracers.langchain import wait_for_all_tracers
from secondhop.testing import note, temporary_recall
import asyncio

async def main():
    tea = note("tea", "Green tea steeps at seventy degrees.")
    async with temporary_recall([tea]) as recall:
        await recall.arecall("How long does green tea steep?")

asyncio.run(main())
wait_for_all_tracers()
"""


class Received(ThreadingHTTPServer):
    """An endpoint like LangSmith's that accepts everything."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        super().__init__(("127.0.0.1", 0), Endpoint)


class Endpoint(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        bodies = cast(Received, self.server).bodies
        bodies.append(self.rfile.read(int(self.headers["Content-Length"] or 0)))
        self.answer()

    def do_GET(self) -> None:
        self.answer()

    do_PATCH = do_POST

    def answer(self) -> None:
        self.send_response(202)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@pytest.fixture
def langsmith() -> Iterator[Received]:
    with Received() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("asked_for", [True, False])
def test_the_steps_of_a_recall_reach_langsmith_if_its_variables_ask_for_them(
    langsmith: Received, asked_for: bool
) -> None:
    given = {
        "LANGSMITH_TRACING": str(asked_for).lower(),
        "LANGSMITH_API_KEY": "x",
        "LANGSMITH_ENDPOINT": f"http://127.0.0.1:{langsmith.server_port}",
    }

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert any(b"retrieve" in body for body in langsmith.bodies) is asked_for

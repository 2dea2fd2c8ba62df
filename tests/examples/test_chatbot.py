"""The chatbot in its own process: killed from outside, interrupted, and started again."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.cli.model_server import schema_of
from tests.examples.streaming import prompts, silent_after, streamed, writing
from tests.models.fault_server import FaultServer, running

from chat.log import ChatLog

pytestmark = [pytest.mark.slow, pytest.mark.model]  # processes; prompts are counted

PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "chatbot.py"
PATIENCE_S = 120.0


class Terminal:
    """A person at the chatbot: types lines, and waits for what it prints."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.seen = ""

    async def type(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())
        await self.process.stdin.drain()

    async def until(self, text: str) -> None:
        """Read on until it has printed this text since the last call."""
        assert self.process.stdout is not None
        start = len(self.seen)
        async with asyncio.timeout(PATIENCE_S):
            while text not in self.seen[start:]:
                read = await self.process.stdout.read(4096)
                assert read, f"it ended without {text!r}:\n{self.seen}"
                self.seen += read.decode()

    async def end(self) -> str:
        """Press Ctrl-D and return all that it has printed."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        async with asyncio.timeout(PATIENCE_S):
            out, _ = await self.process.communicate()
        self.seen += out.decode()
        return self.seen


@asynccontextmanager
async def chatbot(
    store: Path, server: FaultServer, *, user: str = "mara"
) -> AsyncGenerator[Terminal]:
    """The running chatbot; it is killed at the end if it has not exited."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(PROGRAM),
        *("--user", user, "--store", str(store), "--llm", f"openai:{server.model}"),
        env={**os.environ, "OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": "none"},
        stdin=PIPE,
        stdout=PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        yield Terminal(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def planned(server: FaultServer) -> int:
    """How often a question was planned."""
    return [schema_of(one) for one in server.asked if not one.get("stream")].count("DecomposeReply")


async def test_killed_in_the_middle_of_an_answer_it_goes_on_where_it_stood(tmp_path: Path) -> None:
    script = writing(
        streamed(["Noted."]),
        silent_after(["You ", "can "]),
        streamed(["90 a month ", "[1]."]),
    )
    async with running(script) as server:
        async with chatbot(tmp_path, server) as before:
            await before.type("My budget is now 90 a month.")
            await before.until("Noted.")
            await before.type("What can I spend?")
            await before.until("You can ")
            before.process.send_signal(signal.SIGKILL)
            await before.process.wait()
        log = ChatLog(tmp_path / "chats.db", user="mara")
        session, plans = log.mark("session"), planned(server)
        async with chatbot(tmp_path, server) as after:
            await after.until("90 a month [1].")
            during = log.mark("session")
            seen = await after.end()

    assert "mara: My budget is now 90 a month.\nbot: Noted.\nmara: What can I spend?" in seen
    assert "(that was not answered yet)" in seen
    assert "(the session was open)" in seen
    assert "  [1] me: budget, " in seen
    assert session == during != ""
    assert planned(server) == plans, "the recall was not paid for twice"
    assert "90 a month" in prompts(server)[-1]
    assert log.talk() == [], "Ctrl-D has ended the talk"
    log.close()

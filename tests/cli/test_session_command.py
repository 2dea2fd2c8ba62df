"""`secondhop session` in a pseudo-terminal, and with a script on standard input."""

import json
import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.mcp.mcp_world import MARA, command, environment
from tests.mcp.mcp_world import store as store
from tests.small_world import QUESTION

pytestmark = pytest.mark.slow


def asked(store: Path, *words: str) -> list[str]:
    return command(store, "session", QUESTION, "--entity", MARA, "--k", "3", *words)


class Terminal:
    """A pseudo-terminal, as its user sees it."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor, self.seen = descriptor, ""

    def type(self, keys: str) -> None:
        os.write(self.descriptor, keys.encode())

    def until(self, pattern: str) -> str:
        """What is shown after the latest match, up to this one."""
        deadline = time.monotonic() + 60
        while not (found := re.search(pattern, self.seen)):
            left = deadline - time.monotonic()
            assert select.select([self.descriptor], [], [], max(left, 0))[0], self.seen
            self.seen += os.read(self.descriptor, 4096).decode()
        before, self.seen = self.seen[: found.end()], self.seen[found.end() :]
        return before


@contextmanager
def terminal(
    line: list[str], **variables: str
) -> Generator[tuple[Terminal, "subprocess.Popen[bytes]"], None, None]:
    """A program in a pseudo-terminal; it is killed if it does not end by itself."""
    import pty

    ours, its = pty.openpty()
    child = subprocess.Popen(
        line, stdin=its, stdout=its, stderr=its, env=environment() | variables, close_fds=True
    )
    try:
        yield Terminal(ours), child
    finally:
        child.kill()
        child.wait(timeout=20)
        os.close(its)
        os.close(ours)


def test_a_session_is_voted_on_line_by_line(store: Path) -> None:
    with terminal(asked(store), TERM="xterm-256color") as (screen, child):
        screen.until("q quit")
        screen.type("1h 2x\n")
        screen.until("1[.] .*: hot")
        screen.until("2[.] .*: wrong")
        screen.type("n\n")
        screen.until("Round 2")
        screen.until("q quit")
        screen.type("1?\n")
        screen.until("for: ")
        screen.type("r\n")
        screen.until("Resolved with 1 of")
        assert child.wait(timeout=20) == 0


def test_ctrl_c_gives_the_session_up(store: Path) -> None:
    with terminal(asked(store), TERM="xterm") as (screen, child):
        screen.until("q quit")
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=20) == 130


def test_a_script_on_standard_input_does_the_same(store: Path) -> None:
    done = subprocess.run(
        asked(store, "--json"),
        input=b"1h\n2c\nn\nr\n",
        capture_output=True,
        env=environment(),
        timeout=60,
        check=True,
    )

    resolved = json.loads(done.stdout)["resolved"]
    assert resolved["rounds"] == 2
    assert resolved["accepted"] == resolved["votes"][0]["hot"]
    assert b"Round 2" in done.stderr

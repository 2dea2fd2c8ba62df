"""Tests our MCP server with the MCP inspector and the official conformance suite.

    make mcp-inspect        # needs node 22.19 or newer, npm, and the npm registry the first time

The inspector lists the tools strictly (a schema that a client might not read is an error) and calls
each of them, over standard input and output and over HTTP, with the older and the newer protocol.
From the conformance suite only those scenarios run that work with any server; the others need the
tools, resources and prompts of an example server.

Exit status: 0 if all checks pass, 1 if one fails, 2 if node or npm is missing.
"""

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from secondhop.recall import Recall

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
CONFORMANCE = "@modelcontextprotocol/conformance@0.1.16"
NODE = (22, 19)
"""The oldest version that both packages support."""

SCENARIOS = (
    "server-initialize",
    "ping",
    "tools-list",
    "tools-call-error",
    "server-sse-multiple-streams",
    "resources-list",
    "prompts-list",
    "dns-rebinding-protection",
)
QUESTION = "What does the boiler need?"
TEXTS = (
    "The boiler hums at night; the plumber comes in March.",
    "The boiler needs a new valve, 40 euros, before winter.",
    "The plumber's number is on the fridge.",
)


class Outcome(NamedTuple):
    """The outcome of one check."""

    name: str
    passed: bool
    said: str = ""


class Missing(Exception):
    """Node or npm is missing, or npm failed."""


def main() -> int:
    """Run all checks, and print a line for each."""
    try:
        bins = installed(Path(tempfile.gettempdir()) / "secondhop-mcp-inspect")
    except Missing as missing:
        print(missing, file=sys.stderr)
        return 2
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asyncio.run(fill(folder / "store"))
        for outcome in checks(bins, folder):
            failed += not outcome.passed
            said = f"  {outcome.said}" if outcome.said else ""
            print(f"{'ok    ' if outcome.passed else 'FAILED'}  {outcome.name}{said}", flush=True)
    print(f"{failed} failed" if failed else "all passed")
    return 1 if failed else 0


def installed(folder: Path) -> Path:
    """The folder of the two programs; npm fetches them the first time.

    Raises:
        Missing: there is no node or npm, node is too old, or npm could not install them.
    """
    if not (shutil.which("node") and shutil.which("npm")):
        raise Missing("this needs node and npm; install node 22.19 or newer (https://nodejs.org)")
    version = subprocess.check_output(["node", "--version"], text=True).strip().lstrip("v")
    if tuple(int(part) for part in version.split(".")[:2]) < NODE:
        raise Missing(f"this needs node 22.19 or newer, and node is {version}")
    folder.mkdir(exist_ok=True)
    install = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder)]
    if subprocess.run([*install, INSPECTOR, CONFORMANCE], check=False).returncode:
        raise Missing(f"npm could not install {INSPECTOR} and {CONFORMANCE}; it says why above")
    return folder / "node_modules" / ".bin"


async def fill(store: Path) -> None:
    """Store a few memories of one entity."""
    async with await Recall.aopen(store, entity="me", embedder="hashing") as recall:
        for number, text in enumerate(TEXTS):
            await recall.memories.aremember(text, memory_id=f"note-{number}")


def checks(bins: Path, folder: Path) -> Iterable[Outcome]:
    """Run all checks, one after the other."""
    line = [sys.executable, "-m", "secondhop", "mcp", "--store", str(folder / "store")]
    line += ["--entity", "me", "--embedder", "hashing", "--llm", "offline"]
    inspect = Inspector(bins / "mcp-inspector")
    for era in ("legacy", "modern"):
        how = ["--protocol-era", era, "--transport", "stdio"]
        yield from inspect.run(f"stdio, {era}", [*how, "--", *line])
    with http_server([*line, "--http", "127.0.0.1:0"]) as url:
        for era in ("legacy", "modern"):
            how = ["--protocol-era", era, "--transport", "http", "--server-url", url]
            yield from inspect.run(f"HTTP, {era}", how)
        for scenario in SCENARIOS:
            yield conforms(bins / "conformance", scenario, url=url, folder=folder)


class Inspector:
    """The inspector's command line."""

    def __init__(self, program: Path) -> None:
        self._program = program

    def run(self, name: str, server: Sequence[str]) -> Iterable[Outcome]:
        """List the tools strictly, call each of them, and make one call that must be refused."""
        done = self._ask(["--method", "tools/list", "--strict"], server)
        tools = [tool["name"] for tool in read(done.stdout).get("tools", [])]
        yield Outcome(
            f"{name}: tools/list --strict",
            done.returncode == 0 and bool(tools),
            f"{len(tools)} tools" if tools else tail(done),
        )
        session: dict[str, Any] = {}
        for tool, arguments in calls(session):
            done = self._call(tool, arguments, server)
            found = read(done.stdout)
            session |= found.get("structuredContent") or {}
            passed = done.returncode == 0 and "structuredContent" in found
            yield Outcome(f"{name}: {tool}", passed, "" if passed else tail(done))
        done = self._call("explain", {"traceId": "../x", "memoryId": "y"}, server)
        refused = bool(read(done.stdout).get("isError"))
        yield Outcome(f"{name}: a call that cannot be is refused", refused)
        left = set(tools) - {tool for tool, _ in calls(session)}
        yield Outcome(f"{name}: every tool was called", not left, ", ".join(sorted(left)))

    def _call(
        self, tool: str, arguments: Mapping[str, Any], server: Sequence[str]
    ) -> "subprocess.CompletedProcess[str]":
        words = ["--method", "tools/call", "--tool-name", tool]
        return self._ask([*words, "--tool-args-json", json.dumps(arguments)], server)

    def _ask(
        self, words: Sequence[str], server: Sequence[str]
    ) -> "subprocess.CompletedProcess[str]":
        """Run the inspector once; the command of a stdio server comes last."""
        line = [str(self._program), "--cli", "--connect-timeout", "60000", *words, *server]
        return subprocess.run(line, capture_output=True, text=True, check=False, timeout=300)


def calls(session: Mapping[str, Any]) -> Iterable[tuple[str, dict[str, Any]]]:
    """(tool, arguments) for every tool; the caller puts results of earlier calls into `session`."""
    yield "recall", {"query": QUESTION, "limit": 2}
    yield "explain", {"traceId": session.get("traceId", ""), "memoryId": "note-2"}
    yield "recall_briefing", {"limit": 3}
    yield "recall_session_start", {"query": QUESTION, "limit": 2, "maxRounds": 2}
    opened, shown = session.get("sessionId", ""), session.get("memories", [])
    votes = {memory["id"]: "hot" for memory in shown[:1]}
    yield "recall_vote", {"sessionId": opened, "votes": votes, "requestId": "1", "round": 1}
    yield "recall_resolve", {"sessionId": opened, "note": "used"}
    yield "history", {"memoryId": "note-1"}
    yield "remember", {"text": "Zeta", "subject": "me", "attribute": "employer"}
    talk = [{"role": "user", "content": "I live in Bonn.", "at": "2026-01-05T09:00:00Z"}]
    yield "observe", {"messages": talk, "dryRun": True}
    yield "forget", {"memoryIds": [session.get("memoryId", "")]}


def conforms(program: Path, scenario: str, *, url: str, folder: Path) -> Outcome:
    """Run one scenario of the suite; its exit status shows whether all its checks passed."""
    line = [str(program), "server", "--url", url, "--scenario", scenario]
    done = subprocess.run(
        line, capture_output=True, text=True, check=False, cwd=folder, timeout=120
    )
    told = [row for row in done.stdout.splitlines() if row.startswith("Passed:")]
    said = told[-1] if told else tail(done)
    return Outcome(f"conformance: {scenario}", done.returncode == 0, said)


@contextmanager
def http_server(line: Sequence[str]) -> Generator[str, None, None]:
    """Run a server on a free port, and end it with a signal; yields its URL."""
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as child:
        assert child.stderr is not None
        try:
            deadline = time.monotonic() + 60
            while "serving MCP at" not in (row := child.stderr.readline()):
                if child.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit("the server over HTTP did not start")
            yield row.split()[4]
        finally:
            child.terminate()
            child.communicate(timeout=30)


def read(text: str) -> dict[str, Any]:
    """The JSON object that a program printed; {} if it is not JSON."""
    try:
        found: dict[str, Any] = json.loads(text)
    except json.JSONDecodeError:
        return {}
    return found


def tail(done: "subprocess.CompletedProcess[str]") -> str:
    """The end of a program's error output, or else of its output."""
    return " ".join((done.stderr or done.stdout).split())[-300:]


if __name__ == "__main__":
    sys.exit(main())

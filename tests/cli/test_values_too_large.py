"""Numbers and moments that cannot be, at the command line and over MCP: said in a line, never a
traceback."""

from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from tests.command_line import over
from tests.mcp.mcp_world import MARA, recalls_in, words
from tests.mcp.mcp_world import store as store

from secondhop.mcp.server import memory_server

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("library_of_tests", "no_variables")]

EARLY, LATE = "0001-01-01T00:00+14:00", "9999-12-31T23:59-14:00"
KEY = "The key is under the mat"
COUNTS = "must be at most 1,000,000"
YEARS = "must lie between the years 1 and 9999 in UTC"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("place")
    (folder / "ttl.yaml").write_text("session.ttl_s: 1.0e+12\n")
    (folder / "k.yaml").write_text("limits.k: 1000000000\n")
    return folder


@pytest.fixture
def key(place: Path) -> Path:
    """A store that holds the memory "key"."""
    if not (place / "store").exists():
        assert over(place / "store")("remember", KEY, "--id", "key").exit_code == 0
    return place


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("recall", KEY, "--k", "1000000000"), f"k {COUNTS}"),
        (("recall", KEY, "--tokens", "99999999999999999999"), "tokens must be at most"),
        (("session", KEY, "--k", "1000000000"), f"k {COUNTS}"),
        (("recall", KEY, "--at", EARLY), f"at {YEARS}"),
        (("recall", KEY, "--as-of", LATE), f"as_of {YEARS}"),
        (("facts", "--as-of", EARLY), f"as_of {YEARS}"),
        (("remember", "New words", "--valid-until", LATE), f"valid_until {YEARS}"),
        (("recall", KEY, "--deadline", "-1"), "--deadline"),
        (("recall", KEY, "--deadline", "inf"), "deadline_s must be a finite number"),
        (("recall", KEY, "--deadline", "1e300"), "deadline_s must be at most 604,800 (a week)"),
        (("remember", "New words", "--salience", "nan"), "salience"),
        (("session", KEY, "--settings", "{}/ttl.yaml"), "at most 31,536,000 (a year)"),
        (("recall", KEY, "--settings", "{}/k.yaml"), "RecallLimits.k must be at most 1,000,000"),
    ],
)
def test_what_cannot_be_is_wrong_usage(key: Path, line: tuple[str, ...], said: str) -> None:
    done = over(key / "store")(*(word.format(key) for word in line))

    assert done.exit_code == 2, (done.output, done.exception)
    assert said in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("tool", "given", "said"),
    [
        ("recall", {"query": KEY, "limit": 10**9}, f"k {COUNTS}"),
        ("recall", {"query": KEY, "at": EARLY}, f"at {YEARS}"),
        ("recall", {"query": KEY, "asOf": LATE}, f"as_of {YEARS}"),
        ("recall_briefing", {"limit": 2**63}, f"limit {COUNTS}"),
        ("recall_briefing", {"at": LATE}, f"at {YEARS}"),
        ("recall_session_start", {"query": KEY, "limit": 10**9}, f"k {COUNTS}"),
        ("recall_session_start", {"query": KEY, "maxRounds": 2**63}, f"max_rounds {COUNTS}"),
        ("recall_session_start", {"query": KEY, "at": EARLY}, f"at {YEARS}"),
        ("remember", {"text": "New words", "validUntil": LATE}, f"valid_until {YEARS}"),
        (
            "observe",
            {"messages": [{"role": "user", "content": "I am Ida.", "at": EARLY}]},
            f"the date of message 1 {YEARS}",
        ),
    ],
)
async def test_a_tool_says_what_cannot_be(
    store: Path, tool: str, given: dict[str, Any], said: str
) -> None:
    async with Client(memory_server(recalls_in(store), entity=MARA)) as client:
        told = await client.call_tool(tool, given)

    assert told.is_error
    assert said in words(told)

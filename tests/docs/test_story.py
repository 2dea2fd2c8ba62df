"""docs/story.md shows what its commands print; `--update-golden` writes today's output there.

The int8 embedding model gives slightly different vectors on processors with and without AVX-512
VNNI. So one entry of an answer, or of a column of the table, may differ.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from secondhop.cli.app import app

pytestmark = [pytest.mark.slow, pytest.mark.model]

PAGE = Path(__file__).parents[2] / "docs" / "story.md"
BLOCK = re.compile(r"(?<=<!-- story: )(\w+)( -->\n```text\n)(.*?)(?=```)", re.S)
ASKED = "Help me prepare for my Carefeed interview"
STORE = ["--store", "demo"]
COMMANDS = {
    "facets": ["demo", "--llm", "offline", *STORE],
    "cues": ["cues", "1c4b1e77", "--entity", "carefeed", *STORE],
    "trace": [
        "recall",
        ASKED,
        "--entity",
        "carefeed",
        "--at",
        "2025-11-17T13:00Z",
        "--trace",
        *STORE,
    ],
}
"""The commands in the order in which they run: the demo fills the store."""
SHOWN: dict[str, Callable[[str], str]] = {
    "facets": lambda printed: printed[printed.index("needs that the answer meets") :],
    "cues": lambda printed: re.sub(
        r"\(broad, .*?\)", "(broad)", re.sub(r" +\(host.*\)", "", printed)
    ),
    "trace": lambda printed: re.sub(r"\nwhy, or why not: .*\n", "\n", printed),
}


def questions(table: str) -> list[str]:
    """The first column of the table."""
    return [re.split(r" {2,}", line)[0] for line in table.splitlines() if "  " in line]


def counts(table: str) -> list[int]:
    """How many needs each answer meets."""
    return [int(count) for count in re.findall(r"(\d+) of \d+", table)]


def around_table(shown: str) -> list[str]:
    """The lines of the demo that are not in the table."""
    return [line for line in shown.splitlines() if "  " not in line]


def returned(trace: str) -> list[str]:
    """Ids of what came back, in order."""
    return re.findall(r"\+ #\d .*?\[(\w{8})\]", trace)


def steps(trace: str) -> list[str]:
    """The lines of a trace that name no memory, without their numbers."""
    lines = re.findall(r"^(?:├── (?!time)|└── |│   └── ).*", trace, re.M)
    return [re.sub(r"\d+", "…", line) for line in lines]


def all_but_one(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether both have the same entries in the same order, except for at most one."""
    shared = [one for one in ours if one in theirs]
    return len(shared) >= len(ours) - 1 and shared == [one for one in theirs if one in ours]


def test_the_page_shows_what_its_commands_print(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    no_variables: None,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    printed: dict[str, str] = {}
    for name, words in COMMANDS.items():
        ran = CliRunner().invoke(app, words)
        assert ran.exit_code == 0, ran.stderr
        assert name != "facets" or ran.stdout.count("\n") <= 21, "a demo is read at a glance"
        lines = [line.rstrip() + "\n" for line in SHOWN[name](ran.stdout).splitlines()]
        printed[name] = "".join(lines)
    text = PAGE.read_text(encoding="utf-8")
    if request.config.getoption("--update-golden"):
        text = BLOCK.sub(lambda block: f"{block[1]}{block[2]}{printed[block[1]]}", text)
        PAGE.write_text(text, encoding="utf-8")

    told = {name: block for name, _, block in BLOCK.findall(text)}
    assert told["cues"] == printed["cues"]
    assert steps(told["trace"]) == steps(printed["trace"])
    assert all_but_one(returned(told["trace"]), returned(printed["trace"]))
    needs, shown = told["facets"], printed["facets"]
    assert questions(needs) == questions(shown)
    assert around_table(needs) == around_table(shown)
    for before, now in zip(counts(needs), counts(shown), strict=True):
        assert abs(before - now) <= 1, printed

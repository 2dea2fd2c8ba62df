"""docs/story.md shows what its commands print; `--update-golden` puts the output of today there."""

import re
from collections.abc import Callable
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
"""In the order in which they run: the demo fills the store."""
SHOWN: dict[str, Callable[[str], str]] = {
    "facets": lambda printed: printed[printed.index("what a good answer needs") :],
    "cues": lambda printed: re.sub(
        r"\(broad, .*?\)", "(broad)", re.sub(r" +\(host.*\)", "", printed)
    ),
    "trace": lambda printed: re.sub(r"\nwhy, or why not: .*\n", "\n", printed),
}


def without_figures(text: str) -> str:
    """Times differ, and a score may round the other way; order, ranks, ids and words may not."""
    lines = [line.rstrip() for line in text.splitlines() if "── time: " not in line]
    return re.sub(r"\d+\.\d+|\d+ m?s\b", "…", "\n".join(lines))


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
        lines = [line.rstrip() + "\n" for line in SHOWN[name](ran.stdout).splitlines()]
        printed[name] = "".join(lines)
    text = PAGE.read_text(encoding="utf-8")
    if request.config.getoption("--update-golden"):
        text = BLOCK.sub(lambda block: f"{block[1]}{block[2]}{printed[block[1]]}", text)
        PAGE.write_text(text, encoding="utf-8")

    told = {name: without_figures(block) for name, _, block in BLOCK.findall(text)}
    assert told == {name: without_figures(shown) for name, shown in printed.items()}

"""The documents are true: Python blocks run as printed, links lead somewhere, commands exist."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from secondhop.cli.app import app

REPO = Path(__file__).resolve().parents[2]
PAGES = [*sorted(REPO.glob("*.md")), *sorted((REPO / "docs").glob("*.md"))]
README = (REPO / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", README, re.M | re.S)
"""(code, what it prints)."""
CLI_PAGE = (REPO / "docs" / "cli.md").read_text(encoding="utf-8")
COMMANDS = [
    name
    for row in re.findall(r"^\| (`[a-z].*?) \| `", CLI_PAGE.partition("print as JSON")[2], re.M)
    for name in re.findall(r"`([a-z -]+)`", row)
]
"""The commands whose JSON output the page describes."""


@pytest.mark.slow  # embeds the playbooks
@pytest.mark.model
@pytest.mark.parametrize(("block", "printed"), BLOCKS)
def test_python_in_the_readme_prints_what_it_says(block: str, printed: str, tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == printed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target]

    assert [target for target in local if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_documented_command_has_help(command: str) -> None:
    shown = CliRunner().invoke(app, [*command.split(), "--help"])

    assert shown.exit_code == 0, shown.output
    assert "--json" in shown.stdout


def test_every_file_that_architecture_names_exists() -> None:
    text = (REPO / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w./*-]+/[\w.*-]*\.(?:py|md|yaml))`", text)

    assert len(named) > 25
    assert [name for name in named if not list(REPO.glob(name))] == []

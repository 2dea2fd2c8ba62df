"""What the options that all commands share mean to a `replay`: changes, never nothing at all."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.prompt_lab import tiny_scenario
from tests.command_line import Cli, document

pytestmark = pytest.mark.usefixtures("library_of_tests")

ASKED = "My plan for the job: cut onboarding"


@pytest.fixture
def trace(cli: Cli, tmp_path: Path) -> str:
    """The id of a recall over four memories."""
    assert cli("ingest", tiny_scenario(tmp_path / "tiny")).exit_code == 0
    found = document(cli("recall", ASKED, "--at", "2025-11-17", "--json"))
    assert "plan" in ids(found)
    return str(found["trace_id"])


def ids(answer: dict[str, Any]) -> list[str]:
    return [memory["id"] for memory in answer["memories"]]


def test_a_settings_file_changes_what_it_names(cli: Cli, trace: str) -> None:
    Path("other.yaml").write_text(
        "ranking.min_score: 0.99\nlimits: {k: 1}\nsession.ttl_s: 9\n", encoding="utf-8"
    )

    found = document(cli("replay", trace, "--settings", "other.yaml", "--json"))

    assert found["settings"] == {
        "limits.k": {"before": 6, "after": 1},
        "ranking.min_score": {"before": 0.35, "after": 0.99},
    }
    assert len(found["went"]) == 3


def test_what_is_set_by_hand_wins_over_the_file(cli: Cli, trace: str) -> None:
    Path("other.yaml").write_text("ranking.min_score: 0.99\n", encoding="utf-8")

    words = ("--settings", "other.yaml", "--set", "ranking.min_score=0.35")
    found = document(cli("replay", trace, *words, "--json"))

    assert (found["settings"], found["came"], found["went"]) == ({}, [], [])

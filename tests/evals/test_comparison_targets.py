"""What to compare with, as read from the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from secondhop.errors import UsageError
from secondhop.evals.comparison_targets import KnownRankings, OtherSide, comparison_target
from secondhop.evals.setting_files import read_setting_changes, settings_said


def test_a_baseline_an_effort_the_defaults_and_settings_by_hand() -> None:
    assert comparison_target("dense") == KnownRankings(name="dense")
    assert comparison_target("low") == OtherSide(name="effort low", effort="low")
    assert comparison_target("defaults") == OtherSide(name="defaults", changes=())
    assert comparison_target("ranking.diversity=mmr, limits.k=3") == OtherSide(
        name="ranking.diversity=mmr, limits.k=3", changes=["ranking.diversity=mmr", "limits.k=3"]
    )


def test_a_report_and_a_settings_file_are_told_apart(tmp_path: Path) -> None:
    report: dict[str, Any] = {
        "small": {"results": {"q": ["a"]}, "mean": {}},
        "against": {"measures": {}},
    }
    (tmp_path / "before.json").write_text(json.dumps(report), encoding="utf-8")
    (tmp_path / "tuned.json").write_text('{"ranking": {"min_score": 0.3}}', encoding="utf-8")

    assert comparison_target(str(tmp_path / "before.json")) == KnownRankings(
        name="before.json", results={"small": {"q": ["a"]}}
    )
    assert comparison_target(str(tmp_path / "tuned.json")) == OtherSide(
        name="tuned.json", changes=["ranking.min_score=0.3"]
    )


def test_settings_files_may_be_flat_or_in_parts(tmp_path: Path) -> None:
    flat = "ranking.min_score: 0.3\nranking.hide_later: true\n"
    (tmp_path / "flat.yaml").write_text(flat, encoding="utf-8")
    (tmp_path / "parts.yaml").write_text(
        "ranking:\n  min_score: 0.3\n  hide_later: true\n", encoding="utf-8"
    )
    expected = ["ranking.min_score=0.3", "ranking.hide_later=true"]

    assert read_setting_changes(tmp_path / "flat.yaml") == expected
    assert settings_said(["limits.k=2", str(tmp_path / "parts.yaml")]) == ["limits.k=2", *expected]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ranking: [", r"file:1: not YAML"),
        ("a: 1\nb: : 2", r"file:2: not YAML"),
        ("just words", "holds no settings"),
        ("", "holds no settings"),
    ],
)
def test_faults_of_settings_files_are_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "file").write_text(text, encoding="utf-8")

    with pytest.raises(UsageError, match=said):
        read_setting_changes(tmp_path / "file")

"""The command line of the benchmark: what it refuses, it refuses before anything is asked."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from benchmarks import evidence_left_out
from benchmarks.evidence_left_out import main, wanted_of


def write_set(folder: Path, *, entities: int, questions: int = 4) -> Path:
    """An evidence set whose questions go to the entities in turn."""
    folder.mkdir()
    items = [
        {"id": f"i{n}", "entity": f"e{n}", "session": "s", "text": "Tea at four."}
        for n in range(entities)
    ]
    asked = [
        {
            "id": f"q{n}",
            "entity": f"e{n % entities}",
            "question": "When is tea?",
            "category": "c",
            "evidence": [[f"i{n % entities}"]],
        }
        for n in range(questions)
    ]
    write_lines(folder / "items.jsonl", items)
    write_lines(folder / "questions.jsonl", asked)
    return folder


def write_lines(path: Path, lines: Sequence[Mapping[str, object]]) -> None:
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


@pytest.fixture
def nothing_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A benchmark that asks fails the test."""

    async def asked(*_: object, **__: object) -> None:
        pytest.fail("asked, though nothing can be left out")

    monkeypatch.setattr(evidence_left_out, "asked_of_sets", asked)
    monkeypatch.setattr(evidence_left_out, "stay_on_this_machine", lambda: None)


def refusal(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> str:
    """What the benchmark ends with."""
    monkeypatch.setattr(sys, "argv", ["evidence_left_out", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return str(ended.value)


@pytest.mark.usefixtures("nothing_asked")
@pytest.mark.parametrize("folds", ["1", "0", "-3"])
def test_fewer_than_two_folds_leave_nobody_to_choose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folds: str
) -> None:
    folder = write_set(tmp_path / "a", entities=3)

    told = refusal(monkeypatch, folder, "--by", "conversation", "--folds", folds)

    assert told.startswith(f"evidence_left_out: {folds} folds leave nobody to choose")


@pytest.mark.usefixtures("nothing_asked")
def test_more_folds_than_conversations_are_refused_with_their_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [write_set(tmp_path / name, entities=2) for name in "ab"]

    told = refusal(monkeypatch, *folders, "--by", "conversation", "--folds", "5")

    assert "5 folds need as many conversations, and there are 4" in told


@pytest.mark.usefixtures("nothing_asked")
def test_a_single_set_cannot_be_left_out_and_takes_no_folds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_set(tmp_path / "a", entities=3)

    assert "at least two" in refusal(monkeypatch, folder)
    assert "--folds goes with --by conversation" in refusal(monkeypatch, folder, "--folds", "2")


def test_sets_are_left_out_unless_conversations_are_asked_for() -> None:
    assert wanted_of(["a"]).by == "set"
    assert wanted_of(["a", "--by", "conversation"]).folds is None, "the benchmark's own number"


def test_there_is_no_third_way(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        wanted_of(["a", "--by", "question"])

    assert "conversation" in capsys.readouterr().err

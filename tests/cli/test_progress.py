"""Progress of long work without a terminal: a plain line now and then."""

import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from secondhop.cli import progress
from secondhop.cli.app import app
from secondhop.cli.progress import EVERY_S, PlainLines

STORE = ("--store", "store", "--embedder", "hashing", "--llm", "offline")


def test_a_line_every_ten_seconds_says_how_far_everything_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = [0.0]
    lines = PlainLines(clock=lambda: now[0])

    for second in range(35):
        now[0] = float(second)
        lines("read", 2 * second, None)
        lines("store", second, 40 if second > 25 else None)

    lines.finish()

    assert EVERY_S == 10
    assert capsys.readouterr().err.splitlines() == [
        "secondhop: read 20, store 9",
        "secondhop: read 40, store 19",
        "secondhop: read 60, store 29/40",
        "secondhop: read 68, store 34/40",
    ]


def test_a_line_comes_although_nothing_moves(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "EVERY_S", 0.0)
    with progress.bars() as lines:
        assert lines is not None
        capsys.readouterr()
        lines("diary", 0, 9)
        told = capsys.readouterr().err
        until = time.monotonic() + 20
        while (later := capsys.readouterr().err) == "" and time.monotonic() < until:
            time.sleep(0.05)

    assert told == later == "secondhop: diary 0/9\n"


def test_one_long_note_tells_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(progress, "EVERY_S", 0.0)
    walks = (f"Walk {number} with Dad was long and wet. " for number in range(5_000))
    (tmp_path / "long.md").write_text("".join(walks))

    told = CliRunner().invoke(app, ["ingest", "long.md", *STORE])

    embedded = [line.partition("embed ")[2] for line in told.stderr.splitlines()]
    assert len({count for count in embedded if count.isdigit()}) > 1


def test_an_ingest_into_a_log_says_how_far_it_is_and_json_stays_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(progress, "EVERY_S", 0.0)
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "note.md").write_text(f"# Note\n\nThe key of {folder} is here.")

    told = CliRunner().invoke(app, ["ingest", "one", *STORE])
    silent = CliRunner().invoke(app, ["ingest", "two", *STORE, "--json"])

    assert (told.exit_code, silent.exit_code) == (0, 0)
    assert "secondhop: read 1/1, embed 1, store 1" in told.stderr
    assert silent.stderr == ""

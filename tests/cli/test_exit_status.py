"""Errors of a command: one line on standard error, a status, and never a traceback."""

import subprocess
import sys
from pathlib import Path

import pytest
import typer

from secondhop.cli.exit_status import with_exit_status
from secondhop.errors import SecondhopError, StoreError, UsageError

RUN = [sys.executable, "-m", "secondhop"]


FULL = "No space left on device"


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (UsageError("k is 0"), 2, "k is 0"),
        (StoreError("no space"), 1, "no space"),
        (SecondhopError("something"), 1, "something"),
        (PermissionError(13, "Permission denied", "/x"), 1, "/x: Permission denied"),
        (OSError(28, FULL, "/x"), 1, f"/x: {FULL}; free some space, and try again"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_each_error_has_its_status(
    error: BaseException, status: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as left, with_exit_status():
        raise error

    assert left.value.exit_code == status
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == f"secondhop: {words}\n"


def test_a_full_disk_under_standard_output_is_said_once() -> None:
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [*RUN, "prompts", "show"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )

    assert ran.returncode == 1
    assert ran.stderr == f"secondhop: {FULL}; free some space, and try again\n"


def test_a_mistake_of_our_own_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError), with_exit_status():
        raise ZeroDivisionError


@pytest.mark.slow
def test_a_reader_that_had_enough_ends_it_quietly(tmp_path: Path) -> None:
    place = ["--store", str(tmp_path / "store"), "--embedder", "hashing"]
    (tmp_path / "plan.md").write_text("# Plan\nFour weeks.", encoding="utf-8")
    subprocess.run(
        [*RUN, "ingest", str(tmp_path / "plan.md"), *place], check=True, capture_output=True
    )

    with subprocess.Popen(
        [*RUN, "stats", *place], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        said = running.stderr.read()
        status = running.wait()

    assert (status, said) == (0, "")

"""If no more files can be opened, the error says so and what to do."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("open_many.py")


@pytest.mark.slow
@pytest.mark.usefixtures("library_of_tests")
def test_one_memory_too_many_is_told_as_what_it_is(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.stdout.startswith("StoreError could not open "), done.stderr
    assert "the limit of open files (100)" in done.stdout
    assert "`ulimit -n`" in done.stdout

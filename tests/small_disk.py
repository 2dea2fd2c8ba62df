"""A disk that is full soon."""

import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 24 MB; the test is skipped if mounting is not permitted."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(place)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True, check=False).stderr:
        pytest.skip("mounting a small tmpfs is not permitted here")
    yield place
    when_idle(["umount", str(place)])


def when_idle(command: list[str]) -> None:
    """Run a command once no file is open there; Chroma's threads close theirs a moment later."""
    deadline = time.monotonic() + 20
    while subprocess.run(command, capture_output=True, check=False).returncode:
        assert time.monotonic() < deadline, command
        time.sleep(0.02)

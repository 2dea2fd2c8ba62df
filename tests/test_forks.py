"""A process that was forked after a store was opened is refused, and does not hang."""

import subprocess
import sys
from pathlib import Path

import pytest

from secondhop.errors import UsageError
from secondhop.recall import Recall
from secondhop.testing import note


def test_a_forked_process_is_told_to_open_its_own_store(tmp_path: Path) -> None:
    program = Path(__file__).with_name("open_and_fork.py")

    ran = subprocess.run(
        [sys.executable, str(program), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    *child, parent = ran.stdout.splitlines()
    assert len(child) == 4
    for told in child:
        assert told.startswith("StoreError: a store was opened before this process was forked")
        assert "open stores after the fork" in told
    assert parent == "1"


def test_a_callback_cannot_make_a_sync_call_that_would_wait_for_itself(tmp_path: Path) -> None:
    told = list[tuple[str, int, int | None]]()
    with Recall.open(tmp_path, embedder="hashing") as recall:

        def progress(stage: str, done: int, total: int | None) -> None:
            told.append((stage, done, total))
            recall.memories.counts()

        with pytest.raises(UsageError, match="callback of a sync call"):
            recall.add([note("key", "The spare key is under the blue pot")], progress=progress)
        assert recall.memories.counts().memories in (0, 1)

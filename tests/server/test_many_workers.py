"""Three workers on PostgreSQL, Chroma and Redis while each part is killed and restarted."""

from pathlib import Path

import pytest
from benchmarks.many_workers import KILLS, show, storm

RECOVERY_S = 10.0


@pytest.mark.slow
async def test_nothing_is_lost_or_mixed_up_while_parts_are_killed(tmp_path: Path) -> None:
    report = await storm(tmp_path, users=12, seconds=60)

    show(report)
    assert (report.lost, report.foreign, report.damaged, report.unclear()) == ([], [], [], [])
    assert len(report.kills) == 4 * KILLS
    assert max(seconds for _, seconds, _ in report.recoveries()) <= RECOVERY_S
    assert {call.kind for call in report.calls if call.outcome == "ok"} >= {
        *("remember", "recall", "list", "briefing", "forget", "start", "vote", "resolve")
    }

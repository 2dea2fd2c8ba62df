"""A briefing does not show things because it showed them before."""

import pytest
from benchmarks.briefing_loop import Audited, life_of, lived, simulated


async def test_under_the_audited_formula_what_is_shown_keeps_being_shown() -> None:
    life = life_of(120, seed=0)
    report = await lived("audited", life, Audited(life).choose)

    assert report.incumbents[:30] == [0.0] * 30
    assert report.means()["incumbents"] > 0.4


@pytest.mark.slow
async def test_two_hundred_sessions_show_no_loop() -> None:
    means = {report.name: report.means() for report in await simulated(200, seed=0)}

    assert means["audited formula"]["incumbents"] > 0.5
    assert means["briefing"]["incumbents"] < 0.02
    assert means["briefing"]["found"] > 2 * means["audited formula"]["found"]

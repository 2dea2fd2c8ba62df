"""How much two rounds of votes by the labels improve answers to the shipped scenarios' questions.

Measured as `python -m benchmarks.sessions` does it; docs/sessions.md has the figures.
"""

import pytest
from benchmarks.session_report import lowered_share, mean_by_round, ratio_of
from benchmarks.sessions import measure_sessions
from tests.evals.as_shipped import AS_SHIPPED

from secondhop.evals.scenario import load_scenario
from secondhop.evals.shipped import shipped_scenarios

GAIN = 1.35
"""Least alpha-nDCG of the answer after two rounds of votes, divided by that of the first answer."""
LOWERED = 0.05
"""Largest share of questions whose last answer may be worse than their first."""


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.usefixtures("offline")
async def test_two_rounds_of_votes_make_a_third_more_of_an_answer_and_hardly_ever_less() -> None:
    scenarios = [load_scenario(folder, cues=False) for folder in shipped_scenarios()]

    reports = await measure_sessions(scenarios, AS_SHIPPED, votes=2, noise=0.0, seed=0)

    assert [report.name for report in reports] == ["carefeed", "episodes", "house", "ops-notes"]
    assert sum(len(report.questions) for report in reports) >= 36
    rounds = mean_by_round(reports)
    assert len(rounds) == 3
    assert ratio_of(reports) >= GAIN, rounds
    lowered = {report.name: report.lowered() for report in reports}
    assert lowered_share(reports) <= LOWERED, lowered

"""How well the shipped scenarios' replaced memories are found, and what recall gains by it.

The rules were made on these scenarios: what they find in others is told by `secondhop eval
supersession DIR`.
"""

import pytest
from tests.evals.as_shipped import AS_SHIPPED

from secondhop.cli.supersession_command import measured
from secondhop.evals.scenario import load_scenario
from secondhop.evals.shipped import shipped_scenarios
from secondhop.evals.supersession import share

PRECISION, RECALL = 0.8, 0.5
"""Of the pairs found, and of the memories that labels call stale; .91 and .75 were measured."""


@pytest.mark.slow
@pytest.mark.model
@pytest.mark.usefixtures("offline")
async def test_most_of_what_is_found_was_replaced_and_most_of_that_is_found() -> None:

    found = await measured([load_scenario(folder) for folder in shipped_scenarios()], AS_SHIPPED)
    reports = {report.name: report for report in found}

    assert set(reports) == {"carefeed", "episodes", "house", "ops-notes"}
    right = sum(report.right for report in found)
    detected = sum(report.detected for report in found)
    labelled = sum(report.labelled for report in found)
    assert labelled >= 40
    assert share(right, detected) >= PRECISION, found
    assert share(right, labelled) >= RECALL, found
    ops = reports["ops-notes"]
    assert ops.before["stale_rate"] > 0, "nothing stale came back before: nothing is shown"
    assert ops.after["stale_rate"] == 0
    assert ops.after["facet_recall"] >= ops.before["facet_recall"]

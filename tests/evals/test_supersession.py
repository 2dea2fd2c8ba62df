"""Detected supersessions against the labels of a small scenario, and what recall makes of them."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.fakes import note

from secondhop.evals.scenario import LabelledFacet, Question, Scenario
from secondhop.evals.supersession import measure_supersession
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")

MEMORIES = (
    note("old", "The boiler key lies under the mat, code 4711", title="boiler key", day=2),
    note(
        "new", "The boiler key lies on the hook now, not under the mat", title="boiler key", day=9
    ),
    note("tea", "Mara drinks green tea in the morning", day=3),
    note("tyres", "Winter tyres are in the cellar", day=4),
    note("lost", "The spare boiler key was lent to Jo", title="lending", day=1),
)

QUESTION = Question(
    id="q",
    query="Where is the boiler key?",
    asked_at=datetime(2026, 3, 1, tzinfo=UTC),
    k=3,
    facets=[LabelledFacet(name="place", why="asked", hop=1, relevant={"new": 3})],
    redundant=[],
    stale={"old": "new", "tea": "tyres"},
)


async def test_what_is_detected_is_held_against_the_labels(tmp_path: Path) -> None:
    scenario = Scenario(name="s", memories=MEMORIES, questions=(QUESTION,), no_answer=())
    async with await Recall.aopen(tmp_path / "store", embedder="hashing") as recall:
        report = await measure_supersession(scenario, recall)
        again = await measure_supersession(scenario, recall)

    assert (report.labelled, report.detected, report.right) == (2, 1, 1)
    assert report.missed == ["tea"]
    document = report.document()
    assert (document["precision"], document["recall"]) == (1.0, 0.5)
    assert report.before["stale_rate"] > report.after["stale_rate"] == 0.0
    assert report.after["facet_recall"] == 1.0
    assert again == report

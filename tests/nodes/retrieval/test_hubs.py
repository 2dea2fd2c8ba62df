"""What is near to every question yields to what is near to this one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from tests.fakes import WrittenPlanner, note
from tests.small_world import QUESTION, ask, interview_plan

from secondhop.assembly import scale_of
from secondhop.graph.trace import RecallTrace
from secondhop.nodes.retrieval.hubs import HubCorrection
from secondhop.recall import Recall
from secondhop.stores.records import PassageHit, Vector, Vectors

PLAN = note("plan", "Shorten onboarding in the first year, then hire for the new role.", day=2)
HUB = note(
    "hub",
    "Help me prepare for my interview: a job interview tomorrow, what should I say? And what "
    "should I plant in the garden, my tomatoes look sad. My plan for the first year in the role.",
)
"""Holds the words of every background question."""


@dataclass(frozen=True)
class Bank:
    questions: Vectors | None


@dataclass(eq=False)
class Stored:
    """Vectors by passage id; nobody searches."""

    held: Mapping[str, Sequence[float]]

    async def vectors(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        return {p: np.array(self.held[p], np.float32) for p in passage_ids if p in self.held}

    async def dense(self, queries: Vectors, *, k: int) -> list[list[PassageHit]]:
        raise AssertionError("nobody searches here")

    async def lexical(self, query: str, *, k: int) -> list[PassageHit]:
        raise AssertionError("nobody searches here")


async def test_a_hub_yields_its_first_place_by_hand() -> None:
    bank = Bank(np.eye(2, 3, dtype=np.float32))
    search = Stored({"hub:1:0": [0.6, 0.8, 0.0], "own:1:0": [0.0, 0.2, 0.98]})
    hits = [
        PassageHit("hub:1:0", "hub", 0.80),
        PassageHit("own:1:0", "own", 0.75),
        PassageHit("gone:1:0", "gone", 0.70),
    ]

    fair = await HubCorrection(bank, usual=0.3).corrected(hits, search=search)

    # nearness to the bank .7 and .1: 0.80 - (0.7 - 0.3) / 2 and 0.75 - (0.1 - 0.3) / 2; without a
    # vector a passage is of usual nearness
    assert [hit.memory_id for hit in fair] == ["own", "gone", "hub"]
    assert [hit.score for hit in fair] == pytest.approx([0.85, 0.70, 0.60])


async def test_before_there_is_a_bank_every_hit_stays_as_it_was() -> None:
    hits = [PassageHit("hub:1:0", "hub", 0.80), PassageHit("own:1:0", "own", 0.75)]
    search = Stored({"hub:1:0": [0.6, 0.8, 0.0]})

    assert await HubCorrection(Bank(None), usual=0.3).corrected(hits, search=search) == hits


async def recalled(folder: Path, *, correct_hubs: bool) -> RecallTrace:
    """The story of one recall over the two memories."""
    scale = replace(scale_of("hashing"), usual_nearness=0.1 if correct_hubs else None)
    async with await Recall.aopen(folder, embedder="hashing", scale=scale) as recall:
        await recall.aadd([PLAN, HUB])
        await recall.awarm()
        planner = WrittenPlanner({QUESTION: interview_plan().facets}, planner_id="written")
        _, trace = await ask(replace(recall.services, planner=planner), k=2)
        return trace


def answer_of(trace: RecallTrace) -> list[str]:
    """Ids in the order of their slots."""
    given = {one.slot: one.memory_id for one in trace.candidates if one.slot is not None}
    return [given[slot] for slot in sorted(given)]


def scores_of(trace: RecallTrace, origin: str) -> dict[str, float]:
    """{memory: dense score} in the first query of this origin."""
    query = next(one for one in trace.queries if one.origin == origin)
    return {hit.memory_id: hit.score for hit in query.dense}


@pytest.mark.usefixtures("library_of_tests")
async def test_with_its_correction_a_recall_puts_the_hub_behind_what_is_meant(
    tmp_path: Path,
) -> None:
    plain = await recalled(tmp_path / "plain", correct_hubs=False)
    fair = await recalled(tmp_path / "fair", correct_hubs=True)

    assert (answer_of(plain), answer_of(fair)) == (["hub", "plan"], ["plan", "hub"])
    before, after = scores_of(plain, "expand"), scores_of(fair, "expand")
    assert after["hub"] < before["hub"] - 0.1
    assert after["plan"] >= before["plan"]
    # what the question's own words find stays as it is
    assert scores_of(fair, "question") == scores_of(plain, "question")

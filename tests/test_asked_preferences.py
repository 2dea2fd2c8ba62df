"""If a plan asks for a preference, the answer, its trace and its explanation say so."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.fakes import WrittenPlanner
from tests.small_world import QUESTION, Answer, ask

from secondhop.cli.trace_tree import preference_line
from secondhop.graph.explain import explain
from secondhop.memories.records import Preference
from secondhop.nodes.planning.port import PlannedFacet
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")

CONTEXT = "coaching for the mock interview"
FACET = "mock interview coaching"
QUERY = "coaching notes for the mock interview"
WANTED = PlannedFacet(
    name=FACET, why="It worked.", hop=2, queries=("talks too fast when nervous", QUERY)
)
ASKED_AT = datetime(2026, 3, 1, tzinfo=UTC)


async def remembered(recall: Recall) -> str:
    """Store three preferences; returns the id of the one that the plan will ask for."""
    await recall.memories.aremember(
        Preference(text="Prefer TypeScript", scope="writing computer programs")
    )
    await recall.memories.aremember(Preference(text="Be brief"))
    kept = await recall.memories.aremember(
        Preference(text="Ask, then wait", scope=CONTEXT, topic="coach")
    )
    return kept.memory_id


async def planned(recall: Recall, *facets: PlannedFacet) -> Answer:
    planner = WrittenPlanner({QUESTION: facets}, planner_id="written")
    services = replace(recall.admin.services, planner=planner)
    return await ask(services, QUESTION, asked_at=ASKED_AT.isoformat())


async def test_a_facet_of_the_plan_brings_a_preference_and_the_trace_says_which(
    recall: Recall,
) -> None:
    wanted = await remembered(recall)

    without, _ = await planned(recall)
    result, trace = await planned(recall, WANTED)

    assert [one.text for one in without.preferences] == ["Be brief"]
    assert [one.text for one in result.preferences] == ["Be brief", "Ask, then wait"]
    given = result.preferences[1]
    assert (given.id, given.facet, given.query) == (wanted, FACET, QUERY)
    assert 0.7 <= given.score < 1.0
    assert (result.preferences[0].facet, result.preferences[0].score) == ("", 1.0)
    assert {memory.kind for memory in result.memories} == {"continuity"}
    told = {one.memory_id: one for one in trace.preferences}[wanted]
    assert (told.facet, told.query, told.scope) == (FACET, QUERY, CONTEXT)
    assert f"asked for by “{FACET}”" in preference_line(told)
    story = explain(trace, wanted)
    assert story.returned
    assert f"facet “{FACET}” with “{QUERY}”" in story.story[0]


async def test_what_always_holds_and_what_the_question_asks_for_say_so(recall: Recall) -> None:
    near = await recall.memories.aremember(
        Preference(text="Start with the company", scope="prepare for my Carefeed interview")
    )
    always = await recall.memories.aremember(Preference(text="Be brief"))

    result = await recall.arecall(QUESTION, at=ASKED_AT)

    stories = [
        (await recall.aexplain(result.trace_id, one.memory_id)).story[0] for one in (always, near)
    ]
    assert stories[0] == "It always holds."
    assert stories[1].startswith("The question is near its context")


async def test_a_question_for_the_preference_itself_brings_it_whatever_its_context(
    recall: Recall,
) -> None:
    await remembered(recall)
    liked = Preference(text="I never eat raw onions", scope="dinner")
    await recall.memories.aremember(liked)

    asked = await recall.arecall("Do I eat raw onions, ever or never?")
    other = await recall.arecall(QUESTION)

    assert [one.text for one in asked.preferences] == ["Be brief", "I never eat raw onions"]
    assert [one.text for one in other.preferences] == ["Be brief"]

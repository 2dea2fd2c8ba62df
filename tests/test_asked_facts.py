"""A fact that a question or plan asks for by name is looked up, and the answer says so."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from tests.fakes import WrittenPlanner, note, on
from tests.small_world import LIFE, Answer, ask

from secondhop.graph.explain import explain
from secondhop.graph.result import RecallResult
from secondhop.memories.records import Fact
from secondhop.nodes.planning.fact_lookup import named_in
from secondhop.nodes.planning.port import PlannedFacet
from secondhop.recall import Recall
from secondhop.stores.keeping import FactName

pytestmark = pytest.mark.usefixtures("library_of_tests")

PHONE = Fact(subject="my landlord", attribute="phone number", value="0117 496")
QUESTION = "What is my landlord's phone number?"


@pytest.fixture
async def recall(empty: Recall) -> Recall:
    await empty.aadd([*LIFE, note("talk", "The landlord talked of the phone bill", day=4)])
    return empty


async def test_the_fact_comes_in_by_a_facet_of_its_own(recall: Recall) -> None:
    fact = (await recall.memories.aremember(PHONE, at=on(2))).memory_id

    result = await recall.arecall(QUESTION, at=on(3))

    (found,) = [memory for memory in result.memories if memory.id == fact]
    assert (found.kind, found.hop) == ("factual", 1)
    assert "my landlord: phone number" in found.facets
    trace = recall.trace(result.trace_id)
    (query,) = [one for one in trace.queries if one.origin == "fact"]
    assert query.text == "My landlord's phone number"
    candidate = trace.candidate(fact)
    assert candidate is not None
    story = await recall.aexplain(result.trace_id, fact)
    assert story.returned
    assert "The question names this fact; it was looked up." in story.story


async def test_of_a_superseded_fact_the_value_that_holds_is_looked_up(recall: Recall) -> None:
    old = (await recall.memories.aremember(PHONE, at=on(1))).memory_id
    new = (await recall.memories.aupdate(old, "0117 500", at=on(2))).memory_id

    now = await recall.arecall(QUESTION, at=on(3))
    then = await recall.arecall(QUESTION, at=on(3), as_of=on(1, 15))

    assert facts_looked_up(recall, now) == [new]
    assert facts_looked_up(recall, then) == [old]


def facts_looked_up(recall: Recall, result: RecallResult) -> list[str]:
    kept = [memory.id for memory in result.memories if "my landlord: phone number" in memory.facets]
    assert any(one.origin == "fact" for one in recall.trace(result.trace_id).queries)
    return kept


async def told(
    recall: Recall, question: str, plans: Mapping[str, tuple[PlannedFacet, ...]]
) -> Answer:
    services = replace(recall.admin.services, planner=WrittenPlanner(plans, planner_id="written"))
    return await ask(services, question, asked_at=on(3).isoformat())


async def test_a_question_about_something_else_looks_no_fact_up(recall: Recall) -> None:
    await recall.memories.aremember(PHONE, at=on(2))

    result = await recall.arecall("What did the landlord say about the key?", at=on(3))

    assert [one for one in recall.trace(result.trace_id).queries if one.origin == "fact"] == []


async def test_no_more_facts_are_looked_up_than_a_few(recall: Recall) -> None:
    for n in range(6):
        await recall.memories.aremember(
            Fact(subject=f"room {n}", attribute="colour", value=f"shade {n}"), at=on(2)
        )

    result = await recall.arecall("The colour of room 0, room 1, 2, 3, 4 and 5?", at=on(3))

    queries = recall.trace(result.trace_id).queries
    assert len([one for one in queries if one.origin == "fact"]) == 3


@pytest.mark.parametrize(
    ("text", "subject", "attribute", "asks"),
    [
        ("What is my landlord's phone number?", "my landlord", "phone number", True),
        ("phone number of the landlord", "My  Landlord", "Phone Number", True),
        ("What is my landlord's address?", "my landlord", "phone number", False),
        ("Who has a phone number?", "my landlord", "phone number", False),
        ("Who is my employer?", "me", "employer", True),
        ("What is my current email address?", "me", "email address", True),
        ("What is the name of my dentist?", "me", "name", False),
        ("What is my landlord's phone number?", "me", "phone number", False),
        ("Who is the employer?", "me", "employer", False),
        ("Wie ist die Telefonnummer?", "me", "employer", False),
    ],
)
def test_every_word_of_the_name_must_be_said(
    text: str, subject: str, attribute: str, asks: bool
) -> None:
    name = FactName("f-1", subject, attribute)

    assert named_in(text, [name]) == ([name] if asks else [])


async def test_of_a_fact_that_is_named_the_story_says_by_what(recall: Recall) -> None:
    fact = (await recall.memories.aremember(PHONE, at=on(2))).memory_id
    facet = PlannedFacet(name="whom to call", why="", hop=2, queries=("my landlord phone number",))
    other = "What did the landlord say of the phone bill?"

    _, by_question = await told(recall, QUESTION, {})
    result, by_plan = await told(recall, other, {other: (facet,)})

    (found,) = [memory for memory in result.memories if memory.id == fact]
    assert "whom to call" in found.facets
    assert "The question names this fact; it was looked up." in explain(by_question, fact).story
    assert "A query of the plan names this fact; it was looked up." in explain(by_plan, fact).story

"""A fact that a question or a plan asks for by name is looked up, and tells how it came in."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.fakes import WrittenPlanner, note
from tests.small_world import LIFE

from secondhop.errors import ModelError
from secondhop.graph.builder import build_recall_graph
from secondhop.graph.explain import explain
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.memories.records import Fact
from secondhop.models.embedder import Embedder
from secondhop.models.hashing import HashingEmbedder
from secondhop.nodes.planning.fact_lookup import named_in
from secondhop.nodes.planning.port import PlannedFacet
from secondhop.nodes.state import RecallInput
from secondhop.recall import Recall
from secondhop.running import run_recall
from secondhop.stores.keeping import FactName
from secondhop.stores.records import Vectors

pytestmark = pytest.mark.usefixtures("library_of_tests")

PHONE = Fact(subject="my landlord", attribute="phone number", value="0117 496")
QUESTION = "What is my landlord's phone number?"


def on(month: int, day: int = 1) -> datetime:
    return datetime(2026, month, day, tzinfo=UTC)


@pytest.fixture
async def recall(tmp_path: Path) -> AsyncIterator[Recall]:
    async with await Recall.aopen(tmp_path / "store", entity="mara", embedder="hashing") as opened:
        await opened.aadd([*LIFE, note("talk", "The landlord talked of the phone bill", day=4)])
        yield opened


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
    assert any("my landlord: phone number" in line for line in story.story)


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


async def test_a_plan_asks_for_a_fact_in_its_own_facet(recall: Recall) -> None:
    fact = (await recall.memories.aremember(PHONE, at=on(2))).memory_id
    question = "What did the landlord say of the phone bill?"
    facet = PlannedFacet(
        name="whom to call", why="Somebody knows.", hop=2, queries=("my landlord phone number",)
    )

    result = await planned(recall, question, {question: (facet,)})

    (found,) = [memory for memory in result.memories if memory.id == fact]
    assert "whom to call" in found.facets


async def planned(
    recall: Recall,
    question: str,
    plans: Mapping[str, tuple[PlannedFacet, ...]],
    *,
    embedder: Embedder | None = None,
    deadline_s: float = 30,
) -> RecallResult:
    result, _ = await told(recall, question, plans, embedder=embedder, deadline_s=deadline_s)
    return result


async def told(
    recall: Recall,
    question: str,
    plans: Mapping[str, tuple[PlannedFacet, ...]],
    *,
    embedder: Embedder | None = None,
    deadline_s: float = 30,
) -> tuple[RecallResult, RecallTrace]:
    written = WrittenPlanner(plans, planner_id="written")
    known = recall.services
    limits = replace(known.settings.limits, deadline_s=deadline_s)
    services = replace(
        known,
        planner=written,
        embedder=embedder or known.embedder,
        settings=replace(known.settings, limits=limits),
    )
    graph = build_recall_graph(services)
    asked = RecallInput(question=question, asked_at=on(3).isoformat())
    events = [event async for event in run_recall(graph, asked, services=services)]
    result, trace = events[-1].result, events[-1].trace
    assert result is not None
    assert trace is not None
    return result, trace


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


DIET = Fact(subject="me", attribute="diet", value="vegetarian")
DINNER = "Help me choose something to cook"
GUESTS = PlannedFacet(
    name="what may not be in it",
    why="Nobody should be served what they do not eat.",
    hop=2,
    queries=("which diet is theirs, is it vegetarian or vegan",),
)


async def test_a_fact_that_nobody_names_comes_in_by_the_facet_that_means_it(recall: Recall) -> None:
    fact = (await recall.memories.aremember(DIET, at=on(2))).memory_id

    result = await planned(recall, DINNER, {DINNER: (GUESTS,)})

    (found,) = result.memories
    assert (found.id, found.hop, found.facets[0]) == (fact, 2, "what may not be in it")
    assert "with “My diet”" in found.why


async def test_the_trace_tells_how_near_a_fact_is_that_nobody_names(recall: Recall) -> None:
    fact = (await recall.memories.aremember(DIET, at=on(2))).memory_id

    result, trace = await told(recall, DINNER, {DINNER: (GUESTS,)})

    assert result.ids() == [fact]
    by_origin = {one.origin: one.nearness for one in trace.queries}
    assert by_origin["question"] is None
    nearness = by_origin["implied"]
    assert nearness is not None
    assert recall.services.settings.ranking.min_score <= nearness <= 1
    story = explain(trace, fact).story
    (line,) = [one for one in story if one.startswith("Nothing names this fact")]
    assert f"for “what may not be in it”, are near it (similarity {nearness:.2f})" in line


async def test_of_a_fact_that_is_named_the_story_says_by_what(recall: Recall) -> None:
    fact = (await recall.memories.aremember(PHONE, at=on(2))).memory_id
    facet = PlannedFacet(name="whom to call", why="", hop=2, queries=("my landlord phone number",))
    other = "What did the landlord say of the phone bill?"

    _, by_question = await told(recall, QUESTION, {})
    _, by_plan = await told(recall, other, {other: (facet,)})

    assert "The question names this fact; it was looked up." in explain(by_question, fact).story
    assert "A query of the plan names this fact; it was looked up." in explain(by_plan, fact).story


async def test_a_fact_that_no_facet_means_stays_away(recall: Recall) -> None:
    await recall.memories.aremember(DIET, at=on(2))
    other = PlannedFacet(name="pans", why="", hop=2, queries=("pots, pans and the oven",))

    result = await planned(recall, DINNER, {DINNER: (other,)})

    assert [one for one in result.memories if one.kind == "factual"] == []


async def test_a_look_up_implies_no_fact(recall: Recall) -> None:
    await recall.memories.aremember(DIET, at=on(2))
    question = "Which pan is mine?"

    result = await planned(recall, question, {question: (GUESTS,)})

    assert result.memories == []


class WithoutPlans(HashingEmbedder):
    """Embeds no query of the plan for the one that asks what facts it means."""

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        if any(text.startswith(DINNER) and text != DINNER for text in texts):
            raise ModelError("the model is away")
        return await super().embed_queries(texts)


async def test_a_model_that_cannot_say_which_facts_are_meant_is_named(recall: Recall) -> None:
    await recall.memories.aremember(DIET, at=on(2))

    result = await planned(recall, DINNER, {DINNER: (GUESTS,)}, embedder=WithoutPlans())

    assert result.memories == []
    said = "no fact that the question implies was looked up: the model is away"
    assert said in result.degraded


class HangingPlans(HashingEmbedder):
    """Never answers what facts a plan means."""

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        if any(text.startswith(DINNER) and text != DINNER for text in texts):
            await asyncio.sleep(60)
        return await super().embed_queries(texts)


async def test_a_model_that_hangs_there_leaves_time_to_search(recall: Recall) -> None:
    fact = (await recall.memories.aremember(DIET, at=on(2))).memory_id
    plans = {DINNER: (replace(GUESTS, queries=("The diet of me", *GUESTS.queries)),)}

    result = await planned(recall, DINNER, plans, embedder=HangingPlans(), deadline_s=2)

    assert result.spent.queries > 0
    assert result.stop_reason != "deadline"
    assert any("was looked up: no answer in time" in line for line in result.degraded)
    assert fact in {one.id for one in (*result.memories, *result.maybe)}


async def test_a_superseded_value_is_not_implied(recall: Recall) -> None:
    old = (await recall.memories.aremember(DIET, at=on(1))).memory_id
    new = (await recall.memories.aupdate(old, "vegan", at=on(2))).memory_id

    result = await planned(recall, DINNER, {DINNER: (GUESTS,)})

    assert [one.id for one in result.memories] == [new]

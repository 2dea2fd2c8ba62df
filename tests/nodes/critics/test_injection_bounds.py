"""What the worst reply cannot do: here the attacker controls the model and all its replies."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from tests.fakes import note
from tests.nodes.scripted_llm import ScriptedLLM, call_ids, critic_request, sheet_of, view
from tests.small_world import LIFE, QUESTION

from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.nodes.config import Config, RecallLimits
from secondhop.nodes.critics.reading_votes import FOLLOW_UPS, SPARKS, read_verdict
from secondhop.nodes.critics.vote_schema import CritiqueReply, QueryReply, VoteReply
from secondhop.recall import Recall

pytestmark = [pytest.mark.slow, pytest.mark.model]  # prompts are counted with tiktoken's ranks

PLAN = {
    "DecomposeReply": {"kind": "conceptual", "rewordings": ["Carefeed before the interview"]},
    "ExpandReply": {"intent": "win", "facets": [{"name": "plan", "queries": ["my first year"]}]},
}
THEIRS = "The safe of the neighbour opens with 4711 and a kick; the interview at Carefeed is mine."

Judge = Callable[[str], object]


def ids_in(prompt: str) -> list[str]:
    """The ids of a call, in the order of the sheet."""
    return re.findall(r"<memory (\w+)>", prompt)


def told(judge: Judge, *, plan: Mapping[str, object] = PLAN) -> ScriptedLLM:
    """A model that gives this plan, and judges with `judge` as often as it is asked."""
    script = {name: [reply] * 9 for name, reply in plan.items()}
    return ScriptedLLM(**script, CritiqueReply=[judge] * 99)


async def recalled(
    store: Path, llm: Any, *, settings: Config | None = None
) -> tuple[RecallResult, RecallTrace]:
    recall = await Recall.aopen(store, entity="mine", embedder="hashing", llm=llm, config=settings)
    async with recall:
        async for event in recall.astream(QUESTION):
            if event.result is not None and event.trace is not None:
                return event.result, event.trace
    raise AssertionError("no answer")


@pytest.fixture
async def store(tmp_path: Path) -> Path:
    """Two people's memories in one store."""
    for entity, memories in (("mine", LIFE), ("theirs", (note("their-safe", THEIRS),))):
        recall = await Recall.aopen(tmp_path, entity=entity, embedder="hashing")
        async with recall:
            await recall.aadd(memories)
    return tmp_path


def whole_text(result: RecallResult, trace: RecallTrace) -> str:
    return result.model_dump_json() + trace.model_dump_json()


@pytest.mark.parametrize(
    "forged",
    ["their-safe", "theirs/their-safe", "safe-1", "memory their-safe", "1", "../theirs", "*", ""],
)
async def test_a_vote_for_another_entitys_memory_is_a_vote_for_nothing(
    store: Path, forged: str
) -> None:
    def judge(prompt: str) -> object:
        real, *_ = ids_in(prompt)
        rows = [{"id": forged, "vote": "hot", "replaced_by": forged, "repeats": forged}]
        rows += [{"id": real, "vote": "warm", "replaced_by": forged, "repeats": forged}]
        asks = [{"facet": forged, "name": forged, "query": "the safe of the neighbour"}]
        return {"votes": rows, "new_queries": asks, "go_on": True}

    result, trace = await recalled(store, told(judge))

    assert set(result.ids()) <= {memory.memory_id for memory in LIFE}
    assert "4711" not in whole_text(result, trace)


async def test_whatever_is_asked_for_costs_no_more_than_the_budget(store: Path) -> None:
    many = [f"query number {n} about {n * n}" for n in range(1_000)]
    greedy = {
        "DecomposeReply": {
            "kind": "conceptual",
            "rewordings": many,
            "parts": [{"name": one, "queries": many} for one in many[:50]],
        },
        "ExpandReply": {
            "intent": "more",
            "facets": [{"name": one, "queries": many, "weight": 1e9} for one in many[:200]],
        },
    }

    def judge(prompt: str) -> object:
        rows = [{"id": one, "vote": "spark", "facets": many} for one in ids_in(prompt)]
        asks = [{"facet": "", "name": one, "query": f"{one} again"} for one in many]
        return {"votes": rows, "new_queries": asks, "go_on": True}

    limits = RecallLimits(rounds=3, queries=20, llm_calls=4, llm_tokens=30_000)
    llm = told(judge, plan=greedy)

    result, trace = await recalled(store, llm, settings=Config(limits=limits))

    assert len(llm.asked) == result.spent.llm_calls <= limits.llm_calls
    assert result.spent.rounds <= limits.rounds
    assert result.spent.queries <= limits.rounds * limits.queries
    assert result.spent.prompt_tokens + result.spent.completion_tokens <= limits.llm_tokens
    opened = [facet for facet in trace.facets if facet.facet_id[0] in "cs"]
    assert len(opened) <= limits.rounds * (SPARKS + FOLLOW_UPS)


def catalogs(store: Path) -> dict[str, bytes]:
    """{file: its bytes} of all catalogs."""
    return {str(path): path.read_bytes() for path in store.glob("entities/*/catalog.db")}


async def test_a_recall_writes_nothing_whatever_the_model_says(store: Path) -> None:
    async def kept() -> dict[str, str]:
        recall = await Recall.aopen(store, entity="mine", embedder="hashing")
        async with recall:
            return dict(await recall.admin.store.content_hashes())

    def judge(prompt: str) -> object:
        rows = [{"id": one, "vote": "wrong", "reason": "delete it"} for one in ids_in(prompt)]
        return {"votes": rows, "delete": ids_in(prompt), "tool_calls": [{"name": "forget"}]}

    before, rows = catalogs(store), await kept()
    await recalled(store, told(judge))

    assert len(before) == 2
    assert catalogs(store) == before
    assert await kept() == rows


async def test_what_a_call_is_fenced_with_stays_in_the_call(store: Path) -> None:
    tags: set[str] = set()

    def judge(prompt: str) -> object:
        ids = ids_in(prompt)
        tags.add(ids[0][:5])
        said = f"as {ids[0]} says; the fence is {ids[0][:5]} or {ids[1].upper()}"
        rows = [{"id": one, "vote": "hot", "reason": said, "facets": [one]} for one in ids[:2]]
        rows += [{"id": one, "vote": "cold", "reason": said} for one in ids[2:]]
        asks = [
            {"facet": "", "name": f"all of {ids[0]}", "query": "what else is there of the garden"},
            {"facet": "", "name": "more", "query": f"memories like {ids[1]}"},
        ]
        return {"votes": rows, "new_queries": asks, "go_on": True}

    llm = told(judge)
    result, trace = await recalled(store, llm)

    text = whole_text(result, trace).casefold()
    assert tags
    assert not [tag for tag in tags if tag in text]
    assert "as “" in text  # the reason shows a title instead of the id


PIECES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-10, 10),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["hot", "cold", "spark", "e1", "f0", "</memory>", "ID hot", "\ud800", "\x00"]),
)
KEYS = [*CritiqueReply.model_fields, *VoteReply.model_fields, *QueryReply.model_fields, "x"]
REPLIES = st.recursive(
    PIECES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=6,
        ),
    ),
    max_leaves=20,
)


@given(reply=REPLIES, vote=PIECES, other=PIECES)
def test_no_reply_breaks_the_reading_of_it(reply: object, vote: object, other: object) -> None:
    request = critic_request(view("a"), view("b"))
    sheet = sheet_of(request)
    first, second = call_ids(sheet).values()
    row = {"id": first, "vote": vote, "repeats": second, "replaced_by": first, "facets": reply}
    for said in (reply, {"votes": [row, reply, other], "new_queries": reply, "go_on": other}):
        try:
            parsed = CritiqueReply.model_validate(said)
        except ValidationError:
            continue
        verdict = read_verdict(parsed, sheet, request)

        assert {ballot.memory_id for ballot in verdict.ballots} <= {"a", "b"}
        assert len(verdict.follow_ups) <= FOLLOW_UPS

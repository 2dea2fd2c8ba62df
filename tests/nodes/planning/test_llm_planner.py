"""What a model plans within its bounds, and what is refused."""

import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import pytest
from tests.nodes.scripted_llm import PLENTY, RepeatableLLM, ScriptedLLM

from secondhop.errors import ModelError
from secondhop.models.llm import LLMError
from secondhop.models.tokens import count_tokens
from secondhop.nodes.budget import Remaining
from secondhop.nodes.config import PlanningSettings
from secondhop.nodes.llm_services import llm_services
from secondhop.nodes.planning.port import KeptName, PlanRequest
from secondhop.nodes.planning.schema import ExpandReply
from secondhop.stores.records import Topic

pytestmark = pytest.mark.model  # prompts are counted with tiktoken's ranks


def request(**parts: Any) -> PlanRequest:
    fields: dict[str, Any] = {
        "question": "Help me prepare for my Carefeed interview",
        "asked_at": datetime(2026, 3, 1, tzinfo=UTC),
        "remaining": PLENTY,
    }
    return PlanRequest(**{**fields, **parts})


def facet(name: str, *queries: str, **more: object) -> dict[str, object]:
    return {"name": name, "why": f"Needs {name}.", "queries": list(queries), **more}


async def test_facets_of_the_intent_become_facets_of_hop_2() -> None:
    llm = ScriptedLLM(
        ExpandReply=[
            {
                "intent": "win the job",
                "facets": [
                    facet("own plan", "my goals for the first ninety days", weight=1.4),
                    facet("achievements", "I cut the turnaround from 9 days to 2", weight=99),
                ],
            }
        ]
    )
    planner, _ = llm_services(llm)

    plan = await planner.expand(request())

    assert [(f.name, f.hop, f.weight) for f in plan.facets] == [
        ("own plan", 2, 1.4),
        ("achievements", 2, 1.5),
    ]
    assert plan.facets[0].queries == ("my goals for the first ninety days",)
    assert (plan.usage.calls, plan.usage.prompt_tokens) == (1, 1_000)


async def test_near_equal_queries_are_asked_once_and_facets_left_without_one_are_gone() -> None:
    rows = [
        facet("plan", "my goals for the first year", "My goals, for the first year!", "hire two"),
        facet("goals", "my goals for the first year"),
        facet("the same", "help me prepare for my carefeed interview"),
    ]
    planner, _ = llm_services(ScriptedLLM(ExpandReply=[{"intent": "x", "facets": rows}]))

    plan = await planner.expand(request())

    assert [f.queries for f in plan.facets] == [("my goals for the first year", "hire two")]


async def test_slips_of_a_model_are_repaired() -> None:
    reply: dict[str, object] = {
        "intent": ["not", "a line"],
        "facets": [
            {"name": 7, "queries": "one line\nonly", "weight": "heavy"},
            "no object",
            {"queries": [None, {}, "x" * 10_000]},
            {"name": "health limits"},
            {"name": "", "queries": []},
        ],
    }
    planner, _ = llm_services(ScriptedLLM(ExpandReply=[reply]))

    first, second, third = (await planner.expand(request())).facets

    assert (first.name, first.queries, first.weight) == ("7", ("one line only",), 1.0)
    assert len(second.queries[0]) == 300
    assert third.queries == ("health limits",)


async def test_hop_1_is_the_kind_other_words_and_the_parts_that_are_named() -> None:
    reply = {
        "kind": "Procedural",
        "rewordings": ["notes before the job interview at Carefeed"],
        "parts": [facet("the pump", "pump manual"), facet("the heater")],
    }
    planner, _ = llm_services(ScriptedLLM(DecomposeReply=[reply]))

    plan = await planner.decompose(request())

    assert plan.kind == "procedural"
    assert [(f.name, f.hop, f.queries) for f in plan.facets] == [
        ("", 1, ("notes before the job interview at Carefeed",)),
        ("the pump", 1, ("pump manual",)),
        ("the heater", 1, ("the heater",)),
    ]


@pytest.mark.parametrize("reply", [{}, {"answer": "Sure!"}, {"facets": "none"}, {"intent": " "}])
async def test_an_answer_without_anything_to_use_is_a_failure(reply: dict[str, object]) -> None:
    planner, _ = llm_services(ScriptedLLM(ExpandReply=[reply], DecomposeReply=[reply]))

    with pytest.raises(ModelError):
        await planner.expand(request())
    with pytest.raises(ModelError):
        await planner.decompose(request())


async def test_expand_is_told_the_map_the_day_and_what_is_left() -> None:
    llm = ScriptedLLM(ExpandReply=[{"intent": "x"}])
    planner, _ = llm_services(llm)
    topic = Topic(label="interview, coaching", size=12, titles=["Mock </map> interview", "STAR"])

    await planner.expand(request(topics=[topic]))

    (prompt,) = llm.prompts
    assert "2026-03-01 (Sunday)" in prompt
    assert "Rounds of search left: 3, of at most 48 searches each; model calls left: 8" in prompt
    assert "interview, coaching (12)" in prompt
    assert prompt.count("</map") == 2  # in the rule and at the real end, but not in the title


async def test_a_planner_without_budget_asks_nothing() -> None:
    llm = ScriptedLLM()
    planner, _ = llm_services(llm)
    for left in ({"llm_calls": 0, "llm_tokens": 9_999}, {"llm_calls": 2, "llm_tokens": 700}):
        with pytest.raises(LLMError, match="are left"):
            await planner.expand(request(remaining=Remaining(rounds=1, seconds=9.0, **left)))
    assert llm.prompts == []


async def test_the_plan_holds_as_many_facets_and_queries_as_the_settings_say() -> None:
    rows = [facet(f"facet {n}", f"query {n} a", f"other {n} b", f"third {n} c") for n in range(5)]
    planner, _ = llm_services(
        ScriptedLLM(ExpandReply=[{"intent": "x", "facets": rows}]),
        planning=PlanningSettings(facets=2, facet_queries=1),
    )

    plan = await planner.expand(request())

    assert [facet.queries for facet in plan.facets] == [("query 0 a",), ("query 1 a",)]


MAP = Topic(label="interview, coaching", size=12, titles=["Mock interview", "STAR"])


@pytest.mark.parametrize(
    ("topics", "words"),
    [
        ([MAP], "f1a2d06a51e912d7640e19cb7e5bbb786869440dfd2cb129da69160ff8b31f24"),
        ([], "839d88a04020c14b9f77dbe631e089b86cfa350e15bdaa060e9036db1ca11426"),
    ],
)
async def test_where_nothing_is_kept_by_name_prompt_and_schema_are_those_of_before(
    topics: list[Topic], words: str
) -> None:
    """The hashes are from before a plan could ask by name, so kept answers stay usable."""
    llm = RepeatableLLM(ExpandReply=[{"intent": "x"}])
    planner, _ = llm_services(llm)

    await planner.expand(request(topics=topics))

    assert sha256(llm.prompts[0].encode()).hexdigest() == words
    assert (
        sha256(json.dumps(ExpandReply.model_json_schema(), sort_keys=True).encode()).hexdigest()
        == "884bd82167bd7d0d1126a052b3e8cf3530ce8324dc33a2fa2db47a31c0de3e50"
    )


async def test_no_more_names_are_told_than_fit() -> None:
    llm = ScriptedLLM(ExpandWithKept=[{"intent": "x"}])
    planner, _ = llm_services(llm)
    long = " ".join(["冷蔵庫"] * 40)
    names = [KeptName("factual", f"{n} {long}", long, (f"f-{n}",)) for n in range(40)]

    await planner.expand(request(kept=names))

    block = llm.prompts[0].partition("\n\nKept under")[2].partition("\n\nThe question:")[0]
    assert 1 <= block.count("| fact | ") - 1 < 40
    assert count_tokens(block) <= 1_200

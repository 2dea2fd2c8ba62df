"""Whole recalls over a small life, planned and judged by a scripted model."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.nodes.scripted_llm import ScriptedLLM
from tests.small_world import Answer, SmallWorld, ask, recall_settings

from secondhop.graph.explain import explain
from secondhop.nodes.llm_services import llm_services

pytestmark = pytest.mark.model  # prompts are counted with tiktoken's ranks

DECOMPOSED = {"kind": "conceptual", "rewordings": ["Carefeed research before the interview"]}
EXPANDED = {
    "intent": "win the job",
    "facets": [
        {"name": "own plan", "queries": ["my plan for the first year in the new role"]},
        {"name": "achievements", "queries": ["achievements with numbers, I cut and saved"]},
        {"name": "coaching", "queries": ["coaching notes after the last mock interview"]},
    ],
}


def verdict(user: str, votes: dict[str, str], **more: Any) -> dict[str, Any]:
    """A critic's reply with votes by title instead of by id."""
    ids = {title: call for call, title in re.findall(r"<memory (\w+)>\n.*?“(.*?)”", user)}
    rows = [
        {"id": ids[title], "vote": vote, "facets": ["f0"] if "esearch" in title else ["e1"]}
        for title, vote in votes.items()
    ]
    return {"votes": rows, "go_on": False, **more}


def votes_of(votes: dict[str, str]) -> Callable[[str], object]:
    """A critic that casts these votes."""
    return lambda user: verdict(user, votes)


def converging(user: str) -> object:
    ids = {title: call for call, title in re.findall(r"<memory (\w+)>\n.*?“(.*?)”", user)}
    reply = verdict(
        user,
        {
            "Research on Carefeed": "hot",
            "Goals for the first year": "hot",
            "What I achieved": "hot",
        },
    )
    copy = {"id": ids["More research"], "vote": "warm", "repeats": ids["Research on Carefeed"]}
    return {**reply, "votes": [*reply["votes"], copy]}


async def recalled(world: SmallWorld, llm: ScriptedLLM, **limits: Any) -> Answer:
    planner, critic = llm_services(llm)
    settings = recall_settings(**limits)
    return await ask(world.services(planner=planner, critic=critic, settings=settings))


async def test_a_recall_that_converges_costs_three_calls(world: SmallWorld) -> None:
    llm = ScriptedLLM(
        DecomposeReply=[DECOMPOSED], ExpandReply=[EXPANDED], CritiqueReply=[converging]
    )

    result, trace = await recalled(world, llm)

    assert (result.stop_reason, result.rounds, result.spent.llm_calls) == ("converged", 1, 3)
    assert result.spent.prompt_tokens == 3_000
    assert {"research-1", "plan", "wins"} <= set(result.ids())
    assert "research-2" not in result.ids()
    copy = "Round 1: voted cold by the critic (it repeats “Research on Carefeed”)."
    assert copy in explain(trace, "research-2").story
    assert result.degraded == []
    assert trace.planner.startswith("llm:scripted:decompose.v")
    assert trace.critic.startswith("llm:scripted:critique.v")
    assert [name for name, *_ in llm.asked].count("CritiqueReply") == 1


@pytest.mark.parametrize(
    ("said", "kind"), [("temporal", "temporal"), ("procedural", "procedural"), ("?", "factual")]
)
async def test_the_kind_is_what_the_model_says_and_else_what_the_words_say(
    world: SmallWorld, said: str, kind: str
) -> None:
    both = {"Research on Carefeed": "hot", "Résumé": "warm"}
    llm = ScriptedLLM(
        DecomposeReply=[{**DECOMPOSED, "kind": said}],
        ExpandReply=[EXPANDED],
        CritiqueReply=[votes_of(both)],
    )
    planner, critic = llm_services(llm)
    services = world.services(planner=planner, critic=critic, settings=recall_settings())

    _, trace = await ask(services, question="Who are Carefeed's customers?")

    assert trace.settings["question.kind"] == kind

"""A scenario without the intents nearest to its questions, and how its hubs are counted."""

from dataclasses import replace
from pathlib import Path

import numpy as np
from tests.evals.small_scenario import small_scenario
from tests.fakes import NOW
from tests.small_world import SmallWorld, ask, small_library, small_world

from secondhop.evals.hub_report import concentration, hub_report
from secondhop.evals.intents_left_out import IntentFinder, left_out
from secondhop.evals.measures import measure
from secondhop.evals.scenario import Question
from secondhop.models.hashing import HashingEmbedder
from secondhop.nodes.budget import Remaining
from secondhop.nodes.planning.playbook import PlaybookPlanner
from secondhop.nodes.planning.port import PlanRequest
from secondhop.prompts.library import Intent


async def scenario_world(folder: Path) -> SmallWorld:
    return await small_world(folder, small_scenario().memories)


async def test_intents_are_as_near_as_the_planner_finds_them() -> None:
    intents, embedder = small_library(), HashingEmbedder()
    finder = IntentFinder(intents=intents, embedder=embedder, asking=embedder)
    planner = PlaybookPlanner(intents, embedder=embedder)
    left = Remaining(rounds=1, llm_calls=0, llm_tokens=0, seconds=9.0)

    for question in ("My tomatoes look sad", "Help me prepare for my interview"):
        ((first, *_),) = await finder.nearest([question], n=2)
        plan = await planner.expand(
            PlanRequest(question=question, asked_at=NOW, topics=(), remaining=left)
        )
        assert plan.facets[0].name in {facet.name for facet in first[0].facets}


async def test_what_is_nearest_to_a_question_is_left_out_and_nothing_else(tmp_path: Path) -> None:
    world, scenario = await scenario_world(tmp_path), small_scenario()
    intents, library = small_library(), HashingEmbedder()
    finder = IntentFinder(intents=intents, embedder=library, asking=library)
    near = await finder.nearest([one.query for one in scenario.questions], n=1)

    found = await left_out(scenario, world.services(), intents=intents, library=library)

    assert list(found.intents) == list(dict.fromkeys(one[0][0].name for one in near))
    assert set(found.document()) == {"intents", "whole", "without"}
    assert 0 <= found.without["facet_recall"] <= 1
    await world.store.aclose()


async def test_the_second_time_only_what_was_not_nearest_plans(tmp_path: Path) -> None:
    world, question = await scenario_world(tmp_path), small_scenario().questions[0]
    interview, garden = small_library()

    found = await left_out(
        replace(small_scenario(), questions=(question,)),
        world.services(),
        intents=(garden, interview),
        library=HashingEmbedder(),
    )

    assert list(found.intents) == [interview.name]
    assert found.whole["facet_recall"] == await facet_recall(world, question, garden, interview)
    assert found.without["facet_recall"] == await facet_recall(world, question, garden)
    assert found.without["facet_recall"] < found.whole["facet_recall"]
    await world.store.aclose()


async def facet_recall(world: SmallWorld, question: Question, *intents: Intent) -> float:
    """Of one question, asked with these playbooks."""
    planner = PlaybookPlanner(intents, embedder=world.embedder)
    services = world.services(planner=planner, offline_planner=planner)
    at = question.asked_at.isoformat()
    answer = await ask(services, question.query, asked_at=at, k=question.k)
    return measure(question, answer.result.ids())["facet_recall"]


async def test_without_a_correction_before_and_after_share_the_same_answers(tmp_path: Path) -> None:
    world, scenario = await scenario_world(tmp_path), small_scenario()
    bank = await HashingEmbedder().embed_passages([f"What grows in bed {n}?" for n in range(6)])

    found = await hub_report(scenario, world.services(), bank=bank)

    assert (found.memories, found.background) == (len(scenario.memories), 3)
    assert found.before.overlap == found.after.overlap
    await world.store.aclose()


def test_a_memory_is_found_by_its_nearest_passage() -> None:
    scores = np.tile(np.linspace(0.0, 0.5, 20), (4, 1))
    scores[:, 0] = 0.9  # a passage of the last memory that everything is near to
    owners = [19, *range(19)]

    found = concentration(scores, owners, overlap=None)

    assert found.top_share == 4 / 40
    assert found.skewness == 0.0

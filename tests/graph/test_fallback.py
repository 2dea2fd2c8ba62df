"""A failing model never makes a recall fail; an error in our own code does."""

from collections.abc import Sequence

import pytest
from tests.fakes import BrokenSearch, ScriptedCritic, ScriptedPlanner, plan
from tests.small_world import QUESTION, SmallWorld, ask, interview_plan

from secondhop.errors import ModelError, StoreError
from secondhop.models.embedder import Vectors
from secondhop.models.hashing import HashingEmbedder


def broken_search(world: SmallWorld, retriever: str, error: Exception) -> BrokenSearch:
    """The world's store with one retriever raising an error."""
    if retriever == "dense":
        return BrokenSearch(world.store, dense=error)
    return BrokenSearch(world.store, lexical=error)


DOWN = ModelError("the model answers 503; try again")


async def test_a_failing_planner_leaves_the_question_to_the_playbooks(world: SmallWorld) -> None:
    planner = ScriptedPlanner(decompose=[DOWN], expand=[DOWN])

    result, trace = await ask(world.services(planner=planner))

    assert result.degraded == ["decompose: " + str(DOWN), "expand: " + str(DOWN)]
    assert "own plan" in {facet.name for facet in trace.facets}
    assert {"plan", "wins"} <= set(result.ids())


async def test_one_failing_planning_step_leaves_the_other_its_plan(world: SmallWorld) -> None:
    planner = ScriptedPlanner(decompose=[DOWN], expand=[interview_plan()])

    result, trace = await ask(world.services(planner=planner))

    (line,) = result.degraded
    assert line.startswith("decompose: ")
    failed = [step for step in trace.steps if step.error]
    assert [step.node for step in failed] == ["decompose"]
    assert "503" in failed[0].error


@pytest.mark.parametrize("retriever", ["dense", "lexical"])
async def test_a_recall_goes_on_with_one_retriever(world: SmallWorld, retriever: str) -> None:
    broken = StoreError("the retriever is gone")
    search = broken_search(world, retriever, broken)

    result, trace = await ask(world.services(search=search))

    assert trace.candidate("research-1") is not None
    searched = [query for query in trace.queries if query.origin != "playbook"]
    assert all(query.error == f"{retriever}: the retriever is gone" for query in searched)
    assert f"round 1 lost a search: {retriever}: the retriever is gone" in result.degraded


async def test_both_legs_gone_everywhere_is_said_and_answers_nothing(world: SmallWorld) -> None:
    gone = StoreError("gone")

    result, _ = await ask(
        world.services(search=BrokenSearch(world.store, dense=gone, lexical=gone))
    )

    assert result.ids() == []
    assert any("dense: gone; lexical: gone" in line for line in result.degraded)


async def test_an_embedding_model_that_is_down_leaves_the_words(world: SmallWorld) -> None:
    class DownEmbedder(HashingEmbedder):
        async def embed_queries(self, texts: Sequence[str]) -> Vectors:
            raise DOWN

    result, trace = await ask(world.services(embedder=DownEmbedder()))

    assert trace.candidate("research-1") is not None
    assert [query.text for query in trace.queries] == [QUESTION]
    assert any("no playbook" in line for line in result.degraded)


async def test_a_mistake_in_a_planner_is_raised(world: SmallWorld) -> None:
    planner = ScriptedPlanner(decompose=[plan()], expand=[KeyError("ours")])

    with pytest.raises(KeyError, match="ours"):
        await ask(world.services(planner=planner))


async def test_a_mistake_in_a_critic_is_raised(world: SmallWorld) -> None:
    with pytest.raises(ZeroDivisionError):
        await ask(world.services(critic=ScriptedCritic(ZeroDivisionError())))


@pytest.mark.parametrize("retriever", ["dense", "lexical"])
async def test_a_mistake_in_a_search_is_raised(world: SmallWorld, retriever: str) -> None:
    search = broken_search(world, retriever, IndexError("ours"))

    with pytest.raises(IndexError, match="ours"):
        await ask(world.services(search=search))

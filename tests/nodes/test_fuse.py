"""Within a facet rankings are fused by rank; facets are never pooled."""

from typing import Any

from tests.fakes import ScriptedCritic, ScriptedPlanner, facet, note, plan, votes
from tests.small_world import SmallWorld, ask, interview_plan


async def test_a_facet_s_ranking_is_the_same_whatever_other_facets_ask(world: SmallWorld) -> None:
    async def scores_of(*facets: Any) -> dict[str, tuple[int, float, float]]:
        planner = ScriptedPlanner(decompose=[plan()], expand=[plan(*facets)])
        critic = ScriptedCritic(votes(content=True))
        _, trace = await ask(world.services(planner=planner, critic=critic))
        return {
            candidate.memory_id: (score.rank, score.fused, score.relevance)
            for candidate in trace.candidates
            for score in candidate.facet_scores
            if score.facet_id == "e1"
        }

    plans, *others = interview_plan().facets
    loud = facet("loud", *(f"garden tomatoes number {n}" for n in range(9)), weight=9)

    assert await scores_of(plans) == await scores_of(plans, *others, loud)


async def test_a_keyword_only_hit_enters_the_pool(world: SmallWorld) -> None:
    crowd = [note(f"tea-{n}", f"green tea steeps two minutes, cup {n}") for n in range(20)]
    await world.add(*crowd, note("odd", "XK-4711 " + "wholly other words of a long letter " * 9))
    planner = ScriptedPlanner(decompose=[plan()], expand=[plan()])
    services = world.services(planner=planner, critic=ScriptedCritic(votes(content=True)))

    _, trace = await ask(services, "green tea steeps two minutes XK-4711", k=1)

    (query,) = trace.queries
    assert "odd" not in {hit.memory_id for hit in query.dense[:4]}
    assert query.lexical[0].memory_id == "odd"
    candidate = trace.candidate("odd")
    assert candidate is not None
    assert candidate.facet_scores[0].dense != 0

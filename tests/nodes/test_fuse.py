"""Within a facet rankings are fused by rank; facets are never pooled."""

from collections.abc import Sequence
from typing import Any

from tests.fakes import ScriptedCritic, ScriptedPlanner, facet, note, plan, votes
from tests.small_world import SmallWorld, ask, interview_plan

from secondhop.nodes.fuse import (
    EVIDENCE_PASSAGES,
    fuse_facet,
)
from secondhop.nodes.retrieval.similarity import as_hits
from secondhop.nodes.selection.blend import FacetRanking
from secondhop.nodes.state import FacetScore, Hits, Ranking
from secondhop.stores.records import PassageHit


def ranking(number: int, dense: Sequence[str], lexical: Sequence[str] = ()) -> Ranking:
    """Passages "m:0" of memory "m", the first one best."""

    def hits(ids: Sequence[str]) -> Hits:
        return as_hits(
            [PassageHit(p, p.partition(":")[0], 0.9 - 0.01 * n) for n, p in enumerate(ids)]
        )

    return Ranking(
        query_id=f"q{number}", dense=hits(dense), lexical=hits(lexical), cosines={}, error=""
    )


def fused_ranking(rankings: Sequence[Ranking], *, depth: int = 50) -> FacetRanking:
    return fuse_facet(
        rankings,
        depth=depth,
        relevance=lambda cosine, lexical: 0.7 * cosine + 0.3 * lexical,
        weights=(0.7, 0.3),
    )


def fused(rankings: Sequence[Ranking], *, depth: int = 50) -> dict[str, FacetScore]:
    found = fused_ranking(rankings, depth=depth)
    return {memory_id: found.score(memory_id) for memory_id in found.fused}


def test_a_memory_stands_where_its_best_passage_stands() -> None:
    once = fused([ranking(1, ["a:0", "b:0"])])
    often = fused([ranking(1, ["a:0", "b:0", "b:1", "b:2", "b:3"])])

    assert often["b"]["fused"] == once["b"]["fused"]
    assert often["b"]["relevance"] == once["b"]["relevance"]
    assert len(often["b"]["passage_ids"]) == EVIDENCE_PASSAGES


def test_a_memory_that_words_alone_found_is_in() -> None:
    scores = fused([ranking(1, ["a:0"], ["k:0"])])

    assert scores["k"]["dense"] == 0
    assert scores["k"]["lexical"] == 0.9


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

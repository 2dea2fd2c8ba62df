"""The nodes of one round share what was looked up, and nobody else does."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from tests.fakes import ScriptedCritic, ScriptedPlanner, plan, votes
from tests.small_world import SmallWorld, states

from secondhop.assembly import scale_of
from secondhop.nodes.selection.pool import load_pool, pool_of
from secondhop.nodes.selection.pool_memory import PoolMemory, size_of
from secondhop.nodes.services import Services
from secondhop.nodes.state import Candidate, FacetScore
from secondhop.ranking.evidence import Evidence
from secondhop.ranking.redundancy import REDUNDANCY
from secondhop.stores.records import Passage


class CountedReader:
    """Passes everything on, and counts the calls for passages."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def passages(self, passage_ids: Sequence[str]) -> dict[str, Passage]:
        self.calls += 1
        found: dict[str, Passage] = await self._inner.passages(passage_ids)
        return found


def candidate(memory_id: str, passage_id: str, relevance: float, rank: int) -> Candidate:
    score = FacetScore(
        rank=rank,
        fused=0.0,
        relevance=relevance,
        dense=0.0,
        lexical=0.0,
        passage_ids=[passage_id],
        query_ids=["q"],
        passage_scores=[relevance],
    )
    return Candidate(
        memory_id=memory_id,
        title=memory_id,
        source="note",
        created_at="2026-01-01T00:00:00+00:00",
        first_round=1,
        score=relevance,
        scores={"f0": score},
    )


async def stored(world: SmallWorld) -> dict[str, Candidate]:
    """The memories of the world as candidates."""
    hashes = await world.store.content_hashes()
    ids = {memory_id: f"{memory_id}:{content[:12]}:0" for memory_id, content in hashes.items()}
    return {
        memory_id: candidate(memory_id, ids[memory_id], 0.9 - 0.01 * rank, rank)
        for rank, memory_id in enumerate(sorted(ids), start=1)
    }


def counted(world: SmallWorld) -> tuple[Services, CountedReader]:
    planner = ScriptedPlanner(decompose=[plan()], expand=[plan()])
    services = world.services(planner=planner, critic=ScriptedCritic(votes(content=True)))
    reader = CountedReader(services.reader)
    object.__setattr__(services, "reader", reader)
    return services, reader


async def test_the_same_candidates_are_looked_up_once_whatever_the_facets(
    world: SmallWorld,
) -> None:
    services, reader = counted(world)
    candidates = await stored(world)

    first = await load_pool(candidates, ["f0"], services=services)
    again = await load_pool({**candidates}, ["c1", "f0"], services=services)

    assert reader.calls == 1
    assert again.ids == first.ids
    assert again.relevance.tolist() == [[0.0, value] for (value,) in first.relevance.tolist()]
    assert again.coverage(range(3)) is first.coverage(range(3))


async def test_some_of_the_candidates_make_the_pool_that_they_would_have_made_alone(
    world: SmallWorld,
) -> None:
    services, reader = counted(world)
    candidates = await stored(world)
    some = {memory_id: candidates[memory_id] for memory_id in sorted(candidates)[1::2]}
    await load_pool(candidates, ["f0"], services=services)

    part = await load_pool(some, ["f0"], services=services)
    alone = await load_pool(some, ["f0"], services=counted(world)[0])

    assert reader.calls == 1
    assert (part.ids, part.texts, part.replaced_by) == (alone.ids, alone.texts, alone.replaced_by)
    assert np.array_equal(part.evidence.vectors, alone.evidence.vectors)
    rows = range(len(part.ids))
    assert np.array_equal(part.coverage(rows).units, alone.coverage(rows).units)


async def test_equal_candidates_of_another_recall_are_looked_up_again(world: SmallWorld) -> None:
    services, reader = counted(world)

    await load_pool(await stored(world), ["f0"], services=services)
    await load_pool(await stored(world), ["f0"], services=services)

    assert reader.calls == 2


def test_memories_of_one_folder_have_it_for_their_parent_and_others_have_none() -> None:
    found = {
        memory_id: candidate(memory_id, f"{memory_id}:0", 0.9, 1)
        for memory_id in ("trip/rome.md", "trip/oslo.md", "todo.md", "3c595564")
    }
    evidence = Evidence(
        vectors=np.eye(4, dtype=np.float32), passages=[[0], [1], [2], [3]], texts=["a"] * 4
    )
    pool = pool_of(found, evidence, scale=scale_of("hashing"))

    same = REDUNDANCY["same_parent"](pool.part(range(4)))

    assert same[0].tolist() == same[1].tolist() == [1, 1, 0, 0]
    assert not same[2:].any()


async def test_recalls_that_run_at_the_same_time_keep_their_pools(world: SmallWorld) -> None:
    services, reader = counted(world)
    recalls = [await stored(world) for _ in range(100)]

    for _ in range(3):
        for candidates in recalls:
            await load_pool(candidates, ["f0"], services=services)

    assert reader.calls == len(recalls)


async def test_more_pools_than_there_is_room_for_leave_the_newest(world: SmallWorld) -> None:
    recalls = [await stored(world) for _ in range(4)]
    pools = [await load_pool(one, ["f0"], services=world.services()) for one in recalls]
    memory = PoolMemory(limit=2 * size_of(pools[0]))

    for pool in pools:
        memory.keep(pool)

    found = [memory.find(list(one), one) is not None for one in recalls]
    assert found == [False, False, True, True]


async def test_a_pool_takes_the_place_of_one_with_a_candidate_of_its_own(world: SmallWorld) -> None:
    services = world.services()
    candidates = await stored(world)
    first, *others = candidates
    await load_pool(candidates, ["f0"], services=services)
    later = {**candidates, first: candidates[first].copy()}

    await load_pool(later, ["f0"], services=services)
    services.pools.forget({one: later[one] for one in others})

    assert services.pools.find(list(candidates), candidates) is None
    assert services.pools.find(list(later), later) is None


async def test_a_recall_that_has_its_answer_leaves_no_pool_and_others_keep_theirs(
    world: SmallWorld,
) -> None:
    services, reader = counted(world)
    ended, running = await stored(world), await stored(world)
    for candidates in (ended, running):
        await load_pool(candidates, ["f0"], services=services)

    services.pools.forget(ended)

    ids = list(ended)
    assert services.pools.find(ids, ended) is None
    assert services.pools.find(ids, running) is not None
    assert reader.calls == 2


async def test_after_a_recall_no_pool_is_left(world: SmallWorld) -> None:
    services = world.services()
    candidates = (await states(services))[-1]["candidates"]

    assert candidates
    assert services.pools.find(list(candidates), candidates) is None

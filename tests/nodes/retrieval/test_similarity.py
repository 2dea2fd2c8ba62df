"""Votes bend a facet's query vector towards hot and away from cold, checked on real vectors."""

from tests.fakes import ScriptedCritic, ScriptedPlanner, plan
from tests.small_world import SmallWorld, ask, interview_plan

from secondhop.nodes.critics.port import Ballot, Verdict
from secondhop.nodes.retrieval.similarity import query_vectors
from secondhop.nodes.state import FeedbackRef, Query, RecallState
from secondhop.ranking.votes import VoteName
from secondhop.stores.records import Vector


def query(*feedback: FeedbackRef) -> Query:
    return Query(
        query_id="r1",
        facet_id="e1",
        text="my plan for the new role",
        hop=2,
        round=2,
        origin="refine",
        feedback=list(feedback),
    )


async def passage_of(world: SmallWorld, memory_id: str) -> str:
    return (await world.store.passage_ids([memory_id]))[memory_id][0]


async def bent(world: SmallWorld, *votes: tuple[str, VoteName, int], round_number: int) -> Vector:
    feedback = [
        FeedbackRef(passage_ids=[await passage_of(world, memory_id)], vote=vote, round=number)
        for memory_id, vote, number in votes
    ]
    state: RecallState = {"round": round_number}
    rows, _ = await query_vectors([query(*feedback)], state, services=world.services())
    vector: Vector = rows[0]
    return vector


async def nearness(world: SmallWorld, vector: Vector, memory_id: str) -> float:
    passage_id = await passage_of(world, memory_id)
    return float((await world.store.vectors([passage_id]))[passage_id] @ vector)


async def test_an_old_vote_moves_less_than_a_new_one(world: SmallWorld) -> None:
    fresh = await bent(world, ("wins", "hot", 2), round_number=3)
    old = await bent(world, ("wins", "hot", 1), round_number=3)

    assert await nearness(world, old, "wins") < await nearness(world, fresh, "wins")


async def test_a_vote_on_a_memory_that_is_gone_bends_nothing(world: SmallWorld) -> None:
    plain = await bent(world, round_number=2)
    ref = FeedbackRef(passage_ids=["gone:0"], vote="hot", round=1)

    (moved,), _ = await query_vectors([query(ref)], {"round": 2}, services=world.services())

    assert (plain == moved).all()


async def test_every_facet_with_a_good_vote_is_asked_again_with_its_own_votes(
    world: SmallWorld,
) -> None:
    first = Verdict(
        ballots=(
            Ballot(memory_id="plan", vote="hot", reason="it", facet_ids=("e1",)),
            Ballot(memory_id="wins", vote="warm", reason="so", facet_ids=("e2",)),
            Ballot(memory_id="coaching", vote="cold", reason="no", facet_ids=("e3",)),
        )
    )
    planner = ScriptedPlanner(decompose=[plan()], expand=[interview_plan()])
    critic = ScriptedCritic(first, Verdict(ballots=(), content=True))

    _, trace = await ask(world.services(planner=planner, critic=critic))

    refined = [q for q in trace.queries if q.origin == "refine"]
    assert {q.facet_id for q in refined} == {"e1", "e2"}
    assert all(q.round == 2 for q in refined)
    texts = {q.facet_id: q.text for q in trace.queries if q.origin == "expand"}
    assert all(q.text == texts[q.facet_id] for q in refined)

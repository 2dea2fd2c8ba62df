"""Without a model: a name that the second hop finds leads to a memory by a third."""

from pathlib import Path

import pytest
from tests.fakes import note
from tests.small_world import LIFE, Answer, ask, small_world

from secondhop.nodes.critics.coverage import CoverageCritic

NAME = "Wilhelmina Okafor"
CALLS = note("calls", f"{NAME} takes calls on Thursday mornings and likes short letters.")
"""Shares nothing with the question, nor with what its intent implies."""
PLAN = note(
    "plan", f"My plan for the first year in the new role: {NAME} would mentor me, as agreed."
)
MEMORIES = (CALLS, PLAN, *(one for one in LIFE if one.memory_id != PLAN.memory_id))


async def asked(folder: Path, *, leads: int) -> Answer:
    world = await small_world(folder, MEMORIES)
    critic = CoverageCritic(leads=leads)
    answer = await ask(world.services(critic=critic, offline_critic=critic))
    await world.store.aclose()
    return answer


async def test_a_name_in_what_the_second_hop_found_leads_to_a_third(tmp_path: Path) -> None:
    world = await small_world(tmp_path / "world", MEMORIES)

    answer = await ask(world.services())

    found = {memory.id: memory for memory in answer.result.memories}
    assert (found["plan"].hop, found["calls"].hop) == (2, 3)
    assert found["calls"].facets[0] == NAME
    (led,) = [query for query in answer.trace.queries if query.hop == 3 and query.text == NAME]
    assert (led.origin, led.round) == ("evidence", 2)
    assert "calls" in {hit.memory_id for hit in led.lexical}
    await world.store.aclose()


@pytest.mark.parametrize("leads", [0, 1])
async def test_it_is_the_lead_that_brings_it(tmp_path: Path, leads: int) -> None:
    answer = await asked(tmp_path, leads=leads)

    assert "plan" in answer.result.ids()
    assert ("calls" in answer.result.ids()) is bool(leads)
    assert {query.hop for query in answer.trace.queries} == ({1, 2, 3} if leads else {1, 2})

"""Without a plan, playbooks suggest what the intent needs but the question's words do not find."""

import time
from typing import Any, cast

from tests.fakes import HangingEmbedder
from tests.nodes.selection.test_hidden import EndsMeanwhile
from tests.small_world import QUESTION, SmallWorld, ask

from secondhop.nodes.begin import begin
from secondhop.nodes.planning.playbooks import Playbooks
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallState
from secondhop.nodes.suggest import suggest


async def suggested(services: Services, *, seconds: float = 9.0) -> dict[str, Any]:
    state = cast(RecallState, await begin({"question": QUESTION}, services=services))
    state["deadline_at"] = time.time() + seconds
    return dict(await suggest(state, services=services))


async def test_a_suggestion_enters_the_answer_and_its_reason_names_the_facet(
    world: SmallWorld,
) -> None:
    result, trace = await ask(world.services(), k=4)

    plan = next(one for one in result.memories if one.id == "plan")
    assert plan.facets[0] == "own plan"
    assert "what such questions usually need" in plan.why
    candidate = trace.candidate("plan")
    assert candidate is not None
    assert candidate.parts["playbooks"] == max(candidate.parts.values())


async def test_what_may_not_be_shown_is_not_suggested(world: SmallWorld) -> None:
    keeping = EndsMeanwhile(world.store)
    keeping.ended.add("plan")

    update = await suggested(world.services(keeping=keeping))

    assert "plan" not in update["suggested"]["memory_ids"]


async def test_without_playbooks_the_question_stands_alone(world: SmallWorld) -> None:
    services = world.services(playbooks=Playbooks((), embedder=world.embedder))

    assert "suggested" not in await suggested(services)
    result, trace = await ask(services)
    assert result.ids()
    assert all(not one.parts for one in trace.candidates)


async def test_playbooks_that_are_late_cost_only_themselves(world: SmallWorld) -> None:
    update = await suggested(world.services(embedder=HangingEmbedder()), seconds=0.1)

    assert update == {"degraded": {"suggest": "no playbook was used: no answer in time"}}

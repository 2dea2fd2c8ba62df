"""A session between rounds: small, plain, without texts, and nothing that matters is lost."""

import json
import re
from typing import Any

import pytest
from tests.fakes import ScriptedCritic, note, votes
from tests.session_world import session_services
from tests.small_world import LIFE, QUESTION, SmallWorld

from secondhop.errors import StoreError
from secondhop.graph.session_pack import VERSION, unpack
from secondhop.nodes.critics.port import FollowUp
from secondhop.nodes.session_state import SessionState
from secondhop.sessions.rounds import SessionRounds

VECTOR = re.compile(r"(?:-?0\.\d{5,}, ?){23}")
SAID = {"person": {"plan": "hot", "wins": "spark", "coaching": "cold"}}


async def first(rounds: SessionRounds) -> SessionState:
    return await rounds.first({"question": QUESTION})


def decided(state: SessionState) -> dict[str, Any]:
    """What a round came to."""
    keys = ("round", "picks", "branches", "shown", "changes", "converged", "why", "proposals")
    return {key: state[key] for key in keys}  # type: ignore[literal-required]  # any key


async def test_a_round_goes_on_from_json_as_it_would_have_without(world: SmallWorld) -> None:
    await world.add(
        *(note(f"n{n}", f"The car, its tyres and brakes, part {n}.") for n in range(40))
    )
    lead = FollowUp(text="winter tyres in the cellar", facet_id=None, name="tyres", why="Named.")
    rounds = [
        SessionRounds(
            session_services(
                world, critic=ScriptedCritic(votes(lead, hot=["plan"]), votes(), votes())
            )
        )
        for _ in range(2)
    ]
    whole, packed = await first(rounds[0]), await first(rounds[1])

    for said in (SAID, {"agent": {"plan": "warm"}}):
        whole = await rounds[0].next(whole, said)
        text = rounds[1].packed(packed)
        packed = await rounds[1].next(await rounds[1].unpacked(text), said)
        assert decided(packed) == decided(whole)


async def test_it_holds_no_vector_and_no_text_or_title_of_a_memory(world: SmallWorld) -> None:
    rounds = SessionRounds(session_services(world))
    state = await rounds.next(await first(rounds), SAID)

    text = rounds.packed(state)

    assert not VECTOR.search(text)
    for memory in LIFE:
        assert memory.title not in text
        assert memory.messages[0].content[:40] not in text
    branch = (await rounds.unpacked(text))["facets"]["s1.1"]
    assert branch["name"] == "sparked by What I achieved"


async def test_it_is_plain_json_and_stays_small(world: SmallWorld) -> None:
    rounds = SessionRounds(session_services(world))
    state = await first(rounds)

    text = rounds.packed(state)

    assert json.loads(text)["version"] == VERSION
    assert len(text) < len(json.dumps(state)) / 2


async def test_what_another_version_wrote_or_what_is_damaged_is_named(world: SmallWorld) -> None:
    services = session_services(world)
    rounds = SessionRounds(services)
    text = rounds.packed(await first(rounds))

    for broken, match in (
        (text.replace('"version":1', '"version":2'), "another version"),
        (text[:-9], "damaged"),
        ("{}", "damaged"),
    ):
        with pytest.raises(StoreError, match=match):
            await unpack(broken, services=services)

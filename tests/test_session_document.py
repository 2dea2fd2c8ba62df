"""The document of a session between rounds: small, without texts, and complete."""

import json
import re
import zlib
from typing import Any

import pytest
from tests.fakes import ScriptedCritic, note, votes
from tests.session_world import session_services
from tests.small_world import LIFE, QUESTION, SmallWorld

from secondhop.errors import StoreError
from secondhop.nodes.critics.port import FollowUp
from secondhop.nodes.session.session_state import CastBallot, SessionState, Voter
from secondhop.ranking.votes import VoteName
from secondhop.sessions.document import VERSION, pack, unpack
from secondhop.sessions.rounds import SessionRounds

VECTOR = re.compile(r"(?:-?0\.\d{5,}, ?){23}")
SAID: dict[str, VoteName] = {"plan": "hot", "wins": "spark", "coaching": "cold"}


async def first(rounds: SessionRounds) -> SessionState:
    return await rounds.first({"question": QUESTION})


def voted(state: SessionState, said: dict[str, VoteName], *, by: Voter) -> SessionState:
    return {**state, "ballots": [CastBallot(by=by, votes=said)]}


def decided(state: SessionState) -> dict[str, Any]:
    """What a round decided."""
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

    rounds_of_votes: list[tuple[Voter, dict[str, VoteName]]] = [
        ("person", SAID),
        ("agent", {"plan": "warm"}),
    ]
    for by, said in rounds_of_votes:
        whole = await rounds[0].next(voted(whole, said, by=by))
        packed = await unpack(pack(packed), services=rounds[1].services)
        packed = await rounds[1].next(voted(packed, said, by=by))
        assert decided(packed) == decided(whole)


async def test_it_holds_no_vector_and_no_text_of_a_memory(world: SmallWorld) -> None:
    rounds = SessionRounds(session_services(world))
    state = await rounds.next(voted(await first(rounds), SAID, by="person"))

    document = pack(state)

    text = zlib.decompress(document).decode()
    assert not VECTOR.search(text)
    for memory in LIFE:
        assert memory.messages[0].content[:40] not in text
    branch = (await unpack(document, services=rounds.services))["facets"]["s1.1"]
    assert branch["name"] == "sparked by What I achieved"
    assert len(document) < 20_000


async def test_what_another_version_wrote_or_what_is_damaged_is_named(world: SmallWorld) -> None:
    rounds = SessionRounds(session_services(world))
    document = pack(await first(rounds))
    known = json.loads(zlib.decompress(document))

    for broken, match in (
        (zlib.compress(json.dumps({**known, "version": VERSION + 1}).encode()), "another version"),
        (document[:-9], "damaged"),
        (zlib.compress(b"{}"), "damaged"),
    ):
        with pytest.raises(StoreError, match=match):
            await unpack(broken, services=rounds.services)

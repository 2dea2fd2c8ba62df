"""If a message asks several questions, each gets its answer."""

from tests.small_world import SmallWorld, ask

PLUMBER = "What did the plumber charge last spring?"
FLIGHTS = "Which flights leave on Monday?"
TYRES = "Where are the winter tyres?"


async def test_one_that_can_be_answered_is_not_lost_among_those_that_cannot(
    world: SmallWorld,
) -> None:
    result, trace = await ask(world.services(), f"{PLUMBER} {FLIGHTS} {TYRES}")

    assert result.ids()[0] == "car"
    assert {PLUMBER, FLIGHTS, TYRES} <= {query.text for query in trace.queries}


async def test_none_that_can_be_answered_is_answered_with_nothing(world: SmallWorld) -> None:
    result, _ = await ask(world.services(), f"{PLUMBER} {FLIGHTS}")

    assert result.memories == []

"""Keys of a session, over the small world."""

import asyncio
import io
import os
from collections.abc import AsyncIterator

import pytest
from rich.console import Console
from tests.session_world import session_services, sessions_over
from tests.small_world import QUESTION, SmallWorld

from secondhop.cli.session_keys import characters
from secondhop.cli.session_terminal import SessionTerminal
from secondhop.sessions.learner import Resolution
from secondhop.sessions.session import RecallSession


async def typed(text: str) -> AsyncIterator[str]:
    for char in text:
        yield char


async def played(world: SmallWorld, keys: str, **session: int) -> tuple[Resolution | None, str]:
    """What comes of those keys, and what was shown."""
    shown = io.StringIO()
    console = Console(file=shown, width=200, markup=False, highlight=False)
    sessions = sessions_over(session_services(world, session=session))
    async with RecallSession(sessions, QUESTION) as open_session:
        resolution = await SessionTerminal(open_session, console).run(typed(keys))
    return resolution, shown.getvalue()


async def test_votes_count_at_the_next_round_and_the_session_is_resolved(
    world: SmallWorld,
) -> None:
    resolution, shown = await played(world, "1h2cnr")

    assert resolution is not None
    votes = resolution.session.votes[0]
    assert resolution.session.accepted == votes.hot
    assert (len(votes.hot), len(votes.cold)) == (1, 1)
    assert votes.by == "person"
    assert "Round 1" in shown
    assert "Round 2" in shown
    assert "Resolved with 1 of" in shown


async def test_undo_takes_back_the_latest_vote_and_then_says_that_there_is_none(
    world: SmallWorld,
) -> None:
    resolution, shown = await played(world, "1h2h1cuuuur")

    assert resolution is not None
    assert resolution.session.votes == []
    assert "1. " in shown.split("hot\n")[-1]
    assert "nothing to undo" in shown


@pytest.mark.parametrize("keys", ["1hq", "1h", ""])
async def test_quitting_and_the_end_of_the_keys_give_the_session_up(
    world: SmallWorld, keys: str
) -> None:
    resolution, shown = await played(world, keys)

    assert resolution is None
    assert "Given up" in shown


async def test_cursor_keys_mean_nothing_and_ctrl_d_ends() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"\x1b[A1h\x1bOP\xc3\xa9\x04n")
    os.close(writing)

    try:
        async with asyncio.timeout(5):
            assert [key async for key in characters(reading)] == ["1", "h", "é"]
    finally:
        os.close(reading)

"""Lines of a session, over the small world."""

import io
from collections.abc import AsyncIterator

import pytest
from rich.console import Console
from tests.session_world import session_services, sessions_over
from tests.small_world import QUESTION, SmallWorld

from secondhop.cli.session_lines import SessionLines
from secondhop.sessions.learner import Resolution
from secondhop.sessions.session import RecallSession


async def typed(text: str) -> AsyncIterator[str]:
    for line in text.splitlines():
        yield line


async def played(world: SmallWorld, keys: str, **session: int) -> tuple[Resolution | None, str]:
    """What comes of those keys, and what was shown."""
    shown = io.StringIO()
    console = Console(file=shown, width=200, markup=False, highlight=False)
    sessions = sessions_over(session_services(world, session=session))
    async with RecallSession(sessions, QUESTION) as open_session:
        resolution = await SessionLines(open_session, console).run(typed(keys))
    return resolution, shown.getvalue()


async def test_votes_count_at_the_next_round_and_the_session_is_resolved(
    world: SmallWorld,
) -> None:
    resolution, shown = await played(world, "1h 2c\nn\nr")

    assert resolution is not None
    votes = resolution.session.votes[0]
    assert resolution.session.accepted == votes.hot
    assert (len(votes.hot), len(votes.cold)) == (1, 1)
    assert votes.by == "person"
    assert "Round 1" in shown
    assert "Round 2" in shown
    assert "Resolved with 1 of" in shown


async def test_the_last_vote_on_a_memory_counts_and_no_other_number_is_voted_on(
    world: SmallWorld,
) -> None:
    resolution, shown = await played(world, "1h 1c 99h h z r")

    assert resolution is not None
    votes = resolution.session.votes[0]
    assert (len(votes.hot), len(votes.cold)) == (0, 1)
    assert "There is no number 99; they go from 1 to" in shown
    assert shown.count("q quit") == 3  # under the round, and for what means nothing


@pytest.mark.parametrize("keys", ["1hq", "1h", ""])
async def test_quitting_and_the_end_of_the_keys_give_the_session_up(
    world: SmallWorld, keys: str
) -> None:
    resolution, shown = await played(world, keys)

    assert resolution is None
    assert "Given up" in shown

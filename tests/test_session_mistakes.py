"""Votes and ends of another form than they should have: refused before anything is written."""

from typing import Any

import pytest
from tests.small_world import QUESTION

from secondhop.errors import UsageError
from secondhop.graph.session_result import SessionAnswer
from secondhop.recall import Recall

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("library_of_tests")]


@pytest.fixture
async def answer(recall: Recall) -> SessionAnswer:
    """Of a session that is open."""
    return await recall.sessions.astart(QUESTION, k=3)


@pytest.mark.parametrize("go_on", [True, False])
@pytest.mark.parametrize("no_vote", [None, 5, ["hot"]])
async def test_what_is_no_vote_is_refused_as_such(
    recall: Recall, answer: SessionAnswer, no_vote: Any, go_on: bool
) -> None:
    first, second = answer.ids()[:2]

    with pytest.raises(UsageError, match=r"no vote .*; vote hot, warm"):
        await recall.sessions.avote(answer.session_id, {first: "hot", second: no_vote}, go_on=go_on)

    still = await recall.sessions.aget(answer.session_id)
    assert (still.round, still.cast) == (1, {})


@pytest.mark.parametrize(
    ("mistaken", "message"),
    [
        ({"note": 5}, "the note must be a text"),
        ({"accepted": "plan"}, "accepted must be a list of memory ids"),
        ({"accepted": [5]}, "accepted must be a list of memory ids"),
    ],
)
async def test_an_end_of_another_form_leaves_the_session_open_and_nothing_is_lost(
    recall: Recall, answer: SessionAnswer, mistaken: Any, message: str
) -> None:
    first = answer.ids()[0]
    await recall.sessions.avote(answer.session_id, {first: "hot"}, go_on=False)

    with pytest.raises(UsageError, match=message):
        await recall.sessions.aresolve(answer.session_id, **mistaken)

    resolution = await recall.sessions.aresolve(answer.session_id)
    assert resolution.session.accepted == [first]
    assert resolution.learned.learned

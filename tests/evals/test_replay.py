"""A replay asks as it was asked: what holds no more, what was believed then, and at what time."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.boiler_key import LIFE_WITH_A_KEY, NOW, QUESTION

from secondhop.evals.replay import Replay, replayed
from secondhop.graph.trace import RecallTrace
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")

EARLY = datetime(2026, 1, 10, tzinfo=UTC)


@pytest.fixture
async def recall(tmp_path: Path) -> AsyncIterator[Recall]:
    """A life in which a key was moved on 20 January."""
    async with await Recall.aopen(tmp_path / "store", entity="mara", embedder="hashing") as opened:
        await opened.aadd(LIFE_WITH_A_KEY)
        await opened.memories.asupersede("mat", "hook")
        yield opened


async def recorded(
    recall: Recall,
    *,
    at: datetime = NOW,
    as_of: datetime | None = None,
    include_stale: bool = False,
) -> RecallTrace:
    """The trace that such a recall leaves, as its file holds it."""
    result = await recall.arecall(QUESTION, at=at, as_of=as_of, include_stale=include_stale)
    return recall.trace(result.trace_id)


def expect_no_change(found: Replay) -> None:
    assert found.before.returned == found.after.returned
    assert (found.came(), found.went(), found.moved()) == ([], [], [])


async def test_what_holds_no_more_comes_again_where_it_was_asked_for(recall: Recall) -> None:
    before = await recorded(recall, include_stale=True)
    assert (before.include_stale, "mat" in before.returned) == (True, True)

    found = await replayed(before, recall)

    expect_no_change(found)
    assert found.after.include_stale


async def test_what_was_believed_then_is_asked_for_again(recall: Recall) -> None:
    before = await recorded(recall, as_of=EARLY)
    assert {"mat", "hook"} & set(before.returned) == {"mat"}

    found = await replayed(before, recall)

    expect_no_change(found)
    assert found.after.as_of == before.as_of == EARLY

"""What helped, named at the end of a session without any vote, teaches as a vote does; and what
a session met is counted apart from what it showed. Real stores, the hashing embedder."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.small_world import QUESTION
from tests.store_files import stores_below

from secondhop.recall import Recall
from secondhop.sessions.learner import Learned, Resolution

pytestmark = pytest.mark.usefixtures("library_of_tests")

AT = datetime(2026, 3, 1, tzinfo=UTC)


async def ended(
    recall: Recall, accepted: Sequence[str] | None = None, *, k: int = 6, dry_run: bool = False
) -> Resolution:
    """A session of one answer, resolved without a vote."""
    async with recall.sessions.open(QUESTION, k=k, at=AT) as session:
        return await session.resolve(accepted, dry_run=dry_run)


async def learned_factors(recall: Recall) -> dict[str, float]:
    """Of the question's candidates, by what was learned."""
    trace = recall.trace((await recall.arecall(QUESTION, k=4, at=AT)).trace_id)
    return {
        one.memory_id: one.factors["learned"]
        for one in trace.candidates
        if "learned" in one.factors
    }


async def test_what_was_said_to_have_helped_weighs_more_without_any_vote(recall: Recall) -> None:
    resolution = await ended(recall, ["plan", "wins"])

    assert resolution.learned == Learned(updated=2, learned=True)
    factors = await learned_factors(recall)
    assert factors == {"plan": pytest.approx(1.15), "wins": pytest.approx(1.15)}


@pytest.mark.parametrize("accepted", [None, []])
async def test_an_end_at_which_nothing_was_said_teaches_nothing(
    recall: Recall, tmp_path: Path, accepted: list[str] | None
) -> None:
    await ended(recall, ["plan"])
    before = lessons_below(tmp_path)
    assert before

    resolution = await ended(recall, accepted)

    assert resolution.learned == Learned()
    assert lessons_below(tmp_path) == before


async def test_what_a_session_met_is_counted_apart_from_what_it_showed(recall: Recall) -> None:
    resolution = await ended(recall, ["plan"], k=4)

    told = resolution.session
    met = set(told.retrieved)
    trace = recall.trace((await recall.arecall(QUESTION, k=4, at=AT)).trace_id)
    assert met == {one.memory_id for one in trace.candidates}
    assert set(told.shown) < met
    counted = await recall.memories.acounters(*told.retrieved)
    assert {one for one, uses in counted.items() if uses.retrieved == 1} == met
    assert {one for one, uses in counted.items() if uses.shown == 1} == set(told.shown)
    assert {one for one, uses in counted.items() if uses.accepted == 1} == {"plan"}


def lessons_below(folder: Path) -> dict[str, str]:
    """Content hashes of the files of lessons."""
    files = stores_below(folder)
    return {name: found for name, found in files.items() if Path(name).name.startswith("learning")}

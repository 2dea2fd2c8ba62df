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
    async with recall.session(QUESTION, k=k, at=AT) as session:
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


async def test_it_teaches_what_a_hot_vote_would(recall: Recall) -> None:
    await ended(recall, ["plan"])
    named = (await recall.learning.exported())["contexts"]
    await recall.learning.forget_all()

    async with recall.session(QUESTION, k=6, at=AT) as session:
        await session.vote({"plan": "hot"}, go_on=False)
        await session.resolve()

    voted = (await recall.learning.exported())["contexts"]
    assert [{**one, "context_id": ""} for one in named] == [
        {**one, "context_id": ""} for one in voted
    ]


async def test_however_often_it_is_said_the_influence_is_bounded(recall: Recall) -> None:
    for _ in range(14):
        await ended(recall, ["plan"])

    (context,) = (await recall.learning.exported())["contexts"]
    assert context["weights"]["plan"] == {"good": 10, "bad": 0, "refused": 0}
    assert (await learned_factors(recall))["plan"] == pytest.approx(1 + 0.3 * 10 / 11, abs=1e-4)


async def test_sessions_that_end_well_after_one_answer_are_counted_as_such(recall: Recall) -> None:
    for _ in range(3):
        async with recall.session(QUESTION, k=6) as session:
            await session.resolve(["plan"])

    told = await recall.learning.rounds()

    assert (told.sessions, told.mean_rounds, told.needs_tuning) == (3, 1.0, [])
    assert told.verdict == "sessions end after 1.0 answers on average: the first ones are good"


async def test_a_dry_run_foresees_what_naming_it_would_teach(
    recall: Recall, tmp_path: Path
) -> None:
    before = stores_below(tmp_path / "store")

    foreseen = await ended(recall, ["plan", "wins"], dry_run=True)

    assert foreseen.learned == Learned(updated=2, learned=True)
    assert stores_below(tmp_path / "store") == before


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
    counted = await recall.acounters(*told.retrieved)
    assert {one for one, uses in counted.items() if uses.retrieved == 1} == met
    assert {one for one, uses in counted.items() if uses.shown == 1} == set(told.shown)
    assert {one for one, uses in counted.items() if uses.accepted == 1} == {"plan"}


async def test_nothing_is_counted_of_what_was_forgotten_since(recall: Recall) -> None:
    told = (await ended(recall, ["plan"], k=4)).session
    unshown = next(one for one in told.retrieved if one not in told.shown)
    await recall.aforget(unshown)

    await recall.learning.learn(told)

    counted = await recall.acounters(unshown, "plan")
    assert (counted[unshown].retrieved, counted["plan"].retrieved) == (0, 2)


def lessons_below(folder: Path) -> dict[str, str]:
    """Content hashes of the files of lessons."""
    files = stores_below(folder)
    return {name: found for name, found in files.items() if Path(name).name.startswith("learning")}

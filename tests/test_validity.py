"""A memory that no longer holds does not come back unless it is asked for."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.fakes import note, on
from tests.small_world import LIFE, recall_settings

from secondhop.memories.records import Fact, Preference
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")


QUESTION = "Where is the boiler key?"
NOW = datetime(2026, 3, 1, tzinfo=UTC)
"""The time at which questions are asked."""

LIFE_WITH_A_KEY = (
    *LIFE,
    note("mat", "The boiler key is under the mat", day=2),
    note("hook", "The boiler key is now on the hook", day=20),
)
"""No memory says explicitly that `hook` replaces `mat`."""


@pytest.fixture
async def recall(empty: Recall) -> Recall:
    await empty.aadd(LIFE_WITH_A_KEY)
    return empty


async def ids(recall: Recall, **asked: object) -> set[str]:
    result = await recall.arecall(QUESTION, at=NOW, **asked)  # type: ignore[arg-type]  # any
    return set(result.ids())


async def test_a_superseded_memory_does_not_come_back(recall: Recall) -> None:
    assert {"mat", "hook"} <= await ids(recall)

    await recall.memories.asupersede("mat", "hook")

    found = await recall.arecall(QUESTION, at=NOW)
    assert "hook" in found.ids()
    assert "mat" not in {*found.ids(), *(miss.id for miss in found.maybe)}


async def test_a_memory_answers_what_the_one_that_it_supersedes_answered(recall: Recall) -> None:
    """Its words may be far from the question, as those of "we moved it" are."""
    await recall.aadd([note("moved", "Grandpa hung it in the shed instead", day=22)])
    before = (await recall.arecall(QUESTION, k=9, at=NOW)).ids()
    await recall.memories.asupersede("mat", "hook")
    await recall.memories.asupersede("hook", "moved")

    after = (await recall.arecall(QUESTION, at=NOW)).ids()

    assert "moved" not in before[:2]
    assert after[0] == "moved"


async def test_it_answers_so_also_where_searches_do_not_reach_it(recall: Recall) -> None:
    await recall.aadd([note("moved", "Grandpa hung it in the shed instead", day=22)])
    lost = [note(f"n{n}", f"Neighbour {n} lost some boiler key at stop {n}") for n in range(300)]
    await recall.aadd(lost)
    await recall.memories.asupersede("mat", "moved")

    assert "moved" in await ids(recall, k=3)


async def test_asked_for_it_comes_back_marked_with_what_replaced_it(recall: Recall) -> None:
    await recall.memories.asupersede("mat", "hook")

    result = await recall.arecall(QUESTION, at=NOW, include_stale=True)

    marks = {memory.id: (memory.stale, memory.replaced_by) for memory in result.memories}
    assert marks["mat"] == ("superseded by hook on 2026-01-20", "hook")
    assert marks["hook"] == ("", "")


async def test_the_trace_and_explain_name_what_took_its_place(recall: Recall) -> None:
    await recall.memories.asupersede("mat", "hook")
    result = await recall.arecall(QUESTION, at=NOW)

    story = await recall.aexplain(result.trace_id, "mat")

    assert (story.returned, story.cut_by, story.title) == (False, "validity", "About mat")
    assert any("superseded by hook on 2026-01-20" in line for line in story.story)
    assert "--include-stale" in story.nearest_change


async def test_deprecated_and_expired_memories_stay_away(recall: Recall) -> None:
    await recall.memories.adeprecate("mat", "stolen", at=on(2))
    await recall.memories.aupdate("hook", valid_until=on(2))

    assert not {"mat", "hook"} & await ids(recall)
    before = await recall.arecall(QUESTION, at=on(1, 25))  # it had not expired then
    assert "hook" in before.ids()
    await recall.memories.arestore("mat")
    assert "mat" in await ids(recall)


async def test_as_of_a_day_what_was_believed_then_comes_back(recall: Recall) -> None:
    await recall.memories.asupersede("mat", "hook")

    assert "mat" in await ids(recall, as_of=on(1, 10))
    assert "hook" not in await ids(recall, as_of=on(1, 10))
    assert "mat" not in await ids(recall, as_of=on(1, 20))
    assert "hook" in await ids(recall, as_of=on(1, 20))


async def test_the_time_of_the_question_hides_what_was_written_later_when_set_so(
    recall: Recall, tmp_path: Path
) -> None:
    early = on(1, 10)
    assert "hook" in (await recall.arecall(QUESTION, at=early)).ids()
    settings = recall_settings(ranking={"hide_later": True})
    async with await Recall.aopen(
        tmp_path / "store", entity="mara", embedder="hashing", config=settings
    ) as careful:
        found = (await careful.arecall(QUESTION, at=early)).ids()
    assert "mat" in found
    assert "hook" not in found


async def test_many_superseded_versions_do_not_crowd_out_what_holds(recall: Recall) -> None:
    for number in range(20):
        code = Fact(subject="boiler", attribute="key code", value=f"{number:04}")
        await recall.memories.aremember(code, at=on(2))
    found = await recall.arecall("boiler key code", k=1, at=NOW)

    assert "0019" in found.memories[0].evidence[0].text


async def test_preferences_are_given_apart_and_never_take_a_slot(recall: Recall) -> None:
    await recall.memories.aremember(
        Preference(text="Keep answers about the boiler key short", topic="len")
    )
    await recall.memories.aremember(
        Preference(text="Say where keys are", scope="where is the boiler key")
    )
    await recall.memories.aremember(
        Preference(text="Prefer TypeScript", scope="writing computer programs")
    )

    result = await recall.arecall(QUESTION, at=datetime(2027, 1, 1, tzinfo=UTC), k=20)

    assert [one.text for one in result.preferences] == [
        "Keep answers about the boiler key short",
        "Say where keys are",
    ]
    assert [one.score == 1.0 for one in result.preferences] == [True, False]
    shown = {memory.kind for memory in (*result.memories, *result.maybe)}
    assert shown == {"continuity"}

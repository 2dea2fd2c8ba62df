"""With a filter nothing else comes back, and slots are filled as if nothing else were stored."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes import note
from tests.small_world import LIFE, QUESTION, use_small_library

from secondhop import Fact, Memory, Preference, Recall, UsageError, Where
from secondhop.nodes.selection import visibility
from secondhop.stores.keeping import Kind
from secondhop.stores.records import Standing

T = TypeVar("T")

pytestmark = pytest.mark.usefixtures("library_of_tests")

START = datetime(2026, 1, 1, tzinfo=UTC)
TAGS = ("work", "home", "rare", "été")
SOURCES = ("note", "conversation", "todo")


def numbered(number: int) -> Memory:
    """One of many notes that all answer the same question; a few are tagged "rare"."""
    return replace(
        note(f"m{number}", f"Carefeed interview preparation, part {number}: read notes {number}."),
        tags=(TAGS[number % 2], *(["rare", "été"] if number % 50 == 7 else [])),
        source=SOURCES[number % 3],
        created_at=START + timedelta(days=number),
        cues=(f"help me prepare part {number} of my Carefeed interview",) * (number % 4 == 0),
    )


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recall]:
    folder = tmp_path_factory.mktemp("crowd")
    with (
        pytest.MonkeyPatch.context() as patch,
        Recall.open(folder / "store", embedder="hashing") as recall,
    ):
        use_small_library(patch, folder / "cache")
        recall.add([*LIFE, *map(numbered, range(300))])
        recall.memories.remember(Fact(subject="Carefeed", attribute="interview", value="Monday"))
        recall.memories.remember(Preference(text="Be brief"))
        recall.memories.remember(Preference(text="Be kind"), tags=["rare"])
        yield recall


@pytest.fixture(scope="module")
def held(crowd: Recall) -> dict[str, Memory]:
    """{id: memory} of all that is stored."""
    page = asyncio.run(crowd.admin.store.page(after="", limit=1_000))
    return {memory.memory_id: memory for memory, _ in page}


def filters() -> st.SearchStrategy[Where]:
    days = st.none() | st.integers(-5, 305).map(lambda day: START + timedelta(days=day))

    def some(values: Sequence[T]) -> st.SearchStrategy[list[T]]:
        return st.lists(st.sampled_from(values), max_size=2, unique=True)

    def ranged(after: datetime | None, before: datetime | None, **fields: Any) -> Where:
        if after is not None and before is not None and after >= before:
            after, before = before, after + timedelta(days=1)
        return Where(after=after, before=before, **fields)

    kinds: tuple[Kind, ...] = ("factual", "preferential", "continuity")
    return st.builds(
        ranged,
        tags=some([*TAGS, "unknown"]),
        sources=some([*SOURCES, "fact"]),
        kinds=some(kinds),
        after=days,
        before=days,
    )


@settings(deadline=None, max_examples=15)
@given(
    where=filters(),
    compared=st.sampled_from([0, 1_000]),
    tokens=st.sampled_from([None, 300]),
)
def test_nothing_else_comes_back_and_the_slots_are_filled(
    crowd: Recall, held: dict[str, Memory], where: Where, compared: int, tokens: int | None
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(visibility, "COMPARED", compared)
        result = crowd.recall(QUESTION, k=None if tokens else 6, tokens=tokens, where=where)
    admitted = {one: memory for one, memory in held.items() if fits(where, memory)}

    told = [one.id for one in (*result.memories, *result.maybe)]
    told += [one.id for one in result.preferences]
    assert set(told) <= admitted.keys()
    trace = crowd.trace(result.trace_id)
    assert {one.memory_id for one in trace.candidates} <= admitted.keys()
    assert trace.where == where.values()
    good = [one for one in admitted if one.startswith("m")]
    if not tokens:
        assert len(result.memories) >= min(6, len(good))


def fits(where: Where, memory: Memory) -> bool:
    """Whether a memory passes a filter, written independently of the real code."""
    lists = {"tags": where.tags, "sources": where.sources, "kinds": where.kinds}
    own = {"tags": memory.tags, "sources": [memory.source], "kinds": [memory.kind]}
    listed = all(not wanted or set(wanted) & set(own[name]) for name, wanted in lists.items())
    after = where.after is None or where.after <= memory.created_at
    return listed and after and (where.before is None or memory.created_at < where.before)


def test_a_filter_that_nothing_matches_is_named(crowd: Recall) -> None:
    nothing = crowd.recall(QUESTION, where=Where(tags=["kichten"]))
    preference = crowd.recall(QUESTION, where=Where(kinds=["preferential"]))

    assert nothing.degraded == ["no memory that may be shown matches the filter"]
    assert preference.degraded == []


@pytest.mark.parametrize("days", [0, -1])
def test_an_empty_range_is_refused(days: int) -> None:
    with pytest.raises(UsageError, match=r"after .* must be earlier than before"):
        Where(after=START, before=START + timedelta(days=days))


def test_a_filter_without_fields_changes_nothing(crowd: Recall) -> None:
    plain = crowd.recall(QUESTION)

    assert crowd.recall(QUESTION, where=Where()).ids() == plain.ids()
    assert crowd.trace(plain.trace_id).where == {}


@pytest.mark.parametrize("tokens", [None, 300])
def test_an_empty_list_of_ids_admits_nothing(crowd: Recall, tokens: int | None) -> None:
    for where in (Where(ids=[]), Where.of({"ids": []})):
        result = crowd.recall(QUESTION, tokens=tokens, where=where)

        assert (result.memories, result.maybe, result.preferences) == ([], [], [])
        assert crowd.trace(result.trace_id).candidates == []


def test_what_a_filter_leaves_out_says_so(crowd: Recall) -> None:
    for compared in (0, 1_000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(visibility, "COMPARED", compared)
            result = crowd.recall(QUESTION, where=Where(tags=["rare"]))

        explanation = crowd.explain(result, "m3")
        assert not explanation.returned
        assert "filter" in " ".join(explanation.story)


def test_a_planner_and_a_fact_that_is_named_heed_the_filter(crowd: Recall) -> None:
    question = "When is the Carefeed interview?"
    with_fact = crowd.recall(question)
    (fact,) = [one.id for one in with_fact.memories if one.kind == "factual"]

    filtered = crowd.recall(question, where=Where(kinds=["continuity"]))

    assert fact not in filtered.ids()
    assert filtered.ids()


async def test_tags_change_without_an_earlier_version(recall: Recall) -> None:
    memory = replace(LIFE[0], tags=("work",))
    again = replace(memory, tags=("home", "home", " work "))

    first = await recall.aadd([memory])
    second = await recall.aadd([again])
    third = await recall.aadd([again])

    assert [one.other_cues for one in (first, second, third)] == [1, 1, 0]
    assert (await recall.memories.aget(memory.memory_id)).tags == ("home", "work")
    assert len((await recall.memories.ahistory(memory.memory_id)).versions) == 1


async def test_an_ingest_tags_what_it_reads(recall: Recall, tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"id": "a", "text": "Oats are cut.", "tags": ["farm"]}')

    await recall.aingest(tmp_path / "rows.jsonl", tags=["import"])
    result = await recall.arecall("oats", where=Where(tags=["import"]))

    assert result.ids() == ["a"]
    assert (await recall.memories.aget("a")).tags == ("farm", "import")


async def test_tags_go_with_an_export_and_stay_with_a_new_version(
    recall: Recall, tmp_path: Path
) -> None:
    kept = await recall.memories.aremember("The oats are cut.", tags=["farm"])
    newer = await recall.memories.aupdate(kept.memory_id, "The oats are sold.")
    await recall.admin.aexport_to(tmp_path / "kept.jsonl")

    async with await Recall.aopen(tmp_path / "other", embedder="hashing") as other:
        await other.admin.aimport_from(tmp_path / "kept.jsonl")
        assert (await other.memories.aget(newer.memory_id)).tags == ("farm",)


async def test_a_fact_that_replaces_another_takes_its_tags_unless_it_has_its_own(
    recall: Recall,
) -> None:
    found: list[tuple[str, ...]] = []
    for value, tags in (("Ada", ["farm"]), ("Bo", []), ("Cy", ["town"])):
        fact = Fact(subject="me", attribute="vet", value=value)
        kept = await recall.memories.aremember(fact, tags=tags)
        found.append((await recall.memories.aget(kept.memory_id)).tags)
    assert found == [("farm",), ("farm",), ("town",)]


@pytest.mark.parametrize(
    "fields",
    [{"tags": "work"}, {"kinds": ["fact"]}, {"after": "soon"}, {"sources": [1]}, {"before": 5}],
)
def test_a_filter_that_cannot_be_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="where"):
        Where(**fields)


async def test_a_host_s_graph_takes_the_filter_as_plain_values(recall: Recall) -> None:
    where = {"tags": ["none such"]}
    state = await recall.graph.ainvoke({"question": QUESTION, "where": where})

    assert state["result"]["memories"] == []


@pytest.mark.parametrize("compared", [0, 1_000])
async def test_what_supersedes_is_found_by_the_words_of_what_it_superseded(
    recall: Recall, monkeypatch: pytest.MonkeyPatch, compared: int
) -> None:
    monkeypatch.setattr(visibility, "COMPARED", compared)
    notes = [note(f"n{n}", f"The ferry to Gotland, trip number {n}.") for n in range(9)]
    old = note("old", "Breakfast: porridge with cream and honey.")
    new = note("new", "Nothing sweet before noon.")
    await recall.aadd([replace(one, tags=("mine",)) for one in (*notes, old, new)])
    await recall.memories.asupersede("old", "new")

    result = await recall.arecall("porridge with cream and honey", k=1, where=Where(tags=["mine"]))

    assert [one.id for one in result.memories] == ["new"]

    await recall.memories.adeprecate("n3", reason="cancelled")
    result = await recall.arecall("ferry to Gotland, trip number 3", where=Where(tags=["mine"]))

    assert {one.memory_id for one in recall.trace(result.trace_id).hidden} >= {"n3"}


@pytest.mark.parametrize("compared", [0, 1_000])
@pytest.mark.parametrize("tokens", [None, 300])
async def test_what_is_stored_while_a_recall_runs_passes_the_filter_too(
    recall: Recall, monkeypatch: pytest.MonkeyPatch, compared: int, tokens: int | None
) -> None:
    monkeypatch.setattr(visibility, "COMPARED", compared)
    await recall.aadd([replace(one, tags=("work",)) for one in LIFE])
    looked_up = recall.admin.store.standing

    async def standing(**asked: Any) -> Standing:
        found = await looked_up(**asked)
        secret = note("secret", f"{QUESTION} This is private.")
        await recall.aadd([replace(secret, tags=("home",), cues=(QUESTION,))])
        return found

    monkeypatch.setattr(recall.admin.store, "standing", standing)
    result = await recall.arecall(QUESTION, tokens=tokens, where=Where(tags=["work"]))

    assert result.memories
    assert "secret" not in result.model_dump_json()
    trace = recall.trace(result.trace_id)
    assert "secret" not in {one.memory_id for one in trace.candidates}

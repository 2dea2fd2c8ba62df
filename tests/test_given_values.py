"""Impossible values from a program are refused on entry, with words that say what is wanted."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from math import nan
from pathlib import Path
from typing import Any, cast

import pytest
import pytest_asyncio
from tests.fakes import note

from secondhop.errors import UsageError
from secondhop.memories.records import Fact
from secondhop.nodes.config import (
    BriefingSettings,
    Config,
    RankingSettings,
    RecallLimits,
    TraceSettings,
)
from secondhop.recall import Recall
from secondhop.stores.records import Memory, Message

pytestmark = pytest.mark.usefixtures("library_of_tests")
once = pytest.mark.asyncio(loop_scope="module")
"""For tests over `opened`, which share its event loop."""

ASKED = "Who is Ida?"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Any]:
    """The same for tests in which nothing is stored."""
    folder = tmp_path_factory.mktemp("refused")
    async with await Recall.aopen(folder, embedder="hashing") as recall:
        await recall.aadd([note("ida", "My sister is called Ida.")])
        yield recall


@pytest.fixture
async def recall(empty: Recall) -> Any:
    """A `Recall` typed as Any, as in a program without type checks."""
    await empty.aadd([note("ida", "My sister is called Ida.")])
    return empty


TEXTS = ("title", "source", "origin", "subject", "attribute", "value", "scope", "role")


def changed(**fields: Any) -> Memory:
    """A memory with fields of any type, as in a program without type checks."""
    return replace(note("one", "My sister is called Ida."), **fields)


async def accepted(recall: Any, memory_ids: object) -> None:
    """Accept memories of a recall."""
    await recall.memories.aaccept(await recall.arecall(ASKED), memory_ids)


CALLS: list[tuple[Callable[[Any], Awaitable[object]], str]] = [
    (lambda r: r.memories.aremember("a\ud800b"), r"its character 2 is half of a pair"),
    (lambda r: r.memories.aremember("x", title="a\ud800"), r"title must be text that UTF-8"),
    (lambda r: r.memories.aupdate("ida", "a\ud800b"), r"what to remember .*surrogate"),
    (lambda r: r.memories.cues.aadd("ida", "a\ud800b"), r"the cue must be .*surrogate"),
    (lambda r: r.aadd([note("one", "a\ud800b")]), r"the content of a message .*surrogate"),
    (lambda r: r.memories.aremember("x", title=3), r"title must be text \(str\), not 3 \(int\)"),
    (lambda r: r.memories.aremember(5), r"text \(str\), a Fact or a Preference, not 5 \(int\)"),
    (
        lambda r: r.memories.aremember("x", at="2026-13-01"),
        r"at must be a datetime, or ISO 8601 text like .*, not '2026-13-01' \(str\)",
    ),
    (
        lambda r: r.memories.aremember("x", valid_until=2026),
        r"valid_until must be a datetime, .*not 2026",
    ),
    (lambda r: r.memories.aupdate("ida", ["x"]), r"text \(str\), a Fact or a Preference"),
    (lambda r: r.memories.aupdate("ida", valid_until="soon"), r"valid_until must be a datetime"),
    (lambda r: r.memories.adeprecate("ida", "gone", at="now"), r"at must be a datetime"),
    (lambda r: r.memories.adeprecate("ida", "a\ud800b"), r"the reason must be .*surrogate"),
    (lambda r: r.memories.asupersede("ida", "ida", reason=3), r"the reason must be text"),
    (lambda r: r.memories.aremember("x", salience="x"), r"salience must be a number .*not 'x'"),
    (lambda r: r.memories.alist(limit="3"), r"limit must be a whole number"),
    (lambda r: r.memories.afacts(3), r"subject must be text"),
    (lambda r: r.memories.afacts(as_of="2026"), r"as_of must be a datetime"),
    (lambda r: r.memories.aaccept("t", at="2026"), r"at must be a datetime"),
    (lambda r: r.memories.aaccept(None, ["ida"]), r"must be a result, .*not None"),
    (lambda r: r.arecall(None), r"the question must be text \(str\), not None"),
    (lambda r: r.arecall(ASKED, k="6"), r"k must be a whole number \(int\), not '6' \(str\)"),
    (lambda r: r.arecall(ASKED, k=True), r"k must be a whole number"),
    (lambda r: r.arecall(ASKED, k=0), r"k must be at least 1, not 0"),
    (lambda r: r.arecall(ASKED, tokens="6"), r"tokens must be a whole number"),
    (lambda r: r.arecall(ASKED, at="soon"), r"at must be a datetime, or ISO 8601 .*not 'soon'"),
    (lambda r: r.arecall(ASKED, as_of=0), r"as_of must be a datetime, or ISO 8601 text, not 0"),
    (lambda r: r.sessions.astart(None), r"the question must be text"),
    (lambda r: r.sessions.astart(ASKED, k="6"), r"k must be a whole number"),
    (lambda r: r.sessions.astart(ASKED, ttl_s=True), r"ttl_s must be a number.*not True \(bool\)"),
    (lambda r: r.sessions.astart(ASKED, at="2026"), r"at must be a datetime"),
    (lambda r: r.sessions.avote("s", ["ida"]), r"votes must look like"),
    (lambda r: r.sessions.aresolve("s", note=5), r"the note must be text"),
    (lambda r: r.sessions.aresolve("s", accepted=[5]), r"accepted must be a list of memory ids"),
    (lambda r: r.memories.abriefing(limit="3"), r"limit must be a whole number"),
    (lambda r: r.memories.abriefing(limit=0), r"limit must be at least 1, not 0"),
    (lambda r: r.memories.abriefing(tokens=0), r"tokens must be at least 1, not 0"),
    (lambda r: r.memories.abriefing(at="2026"), r"at must be a datetime"),
    (lambda r: r.memories.aobserve([], at="2026"), r"at must be a datetime"),
    (
        lambda r: r.aadd(["My sister"]),
        r"a memory to add must be .*not 'My sister' \(str\).*remember",
    ),
    (lambda r: r.aadd(note("one", "one")), r"for example a list, not"),
    (
        lambda r: r.aadd([changed(kind="foo")]),
        r"memory 'one'.*kind must be one of factual, .*'foo'",
    ),
    (lambda r: r.aadd([changed(messages="Hello")]), r"messages must be a tuple or list of Message"),
    (lambda r: r.aadd([changed(messages=({"role": "user"},))]), r"each of messages.*\(dict\)"),
    (
        lambda r: r.aadd([changed(messages=(Message("user", cast(Any, None)),))]),
        r"the content of a message",
    ),
    (lambda r: r.aadd([changed(memory_id=5)]), r"memory_id must be text \(str\), not 5"),
    (lambda r: r.aadd([changed(created_at="2026")]), r"created_at must be a datetime, not '2026'"),
    (lambda r: r.aadd([changed(cues="prepare")]), r"cues must be a tuple or list of texts"),
    *(
        (lambda r, n=name: r.aadd([changed(**{n: None})]), rf"{name} must be text")
        for name in TEXTS
    ),
    (
        lambda r: r.memories.aremember(Fact(subject=cast(Any, 3), attribute="a", value="b")),
        r"subject of a Fact must be text, not 3",
    ),
    (
        lambda r: r.memories.aremember("A plan", supersedes="ida"),
        r"supersedes must be a tuple or list of ids, not 'ida'",
    ),
    (
        lambda r: accepted(r, "ida"),
        r"memory_ids must be a tuple or list of ids, not 'ida'",
    ),
    (
        lambda r: Recall.aopen("store", annotate=cast(Any, "x")),
        r"annotate must be a bool or AnnotateSettings, not 'x'",
    ),
    (lambda r: Recall.aopen(cast(Any, 5)), r"the store must be text \(str\) or a Path, not 5"),
    (lambda r: r.memories.aforget(["ida"]), r"the id of a memory must be text"),
    (lambda r: r.memories.aget("m-\ud800"), "surrogate"),
    (lambda r: r.memories.aremember("x", memory_id="m-\ud800"), "surrogate"),
    (lambda r: r.memories.aobserve([], keep_as="m-\ud800"), "surrogate"),
    (lambda r: Recall.aopen("store", entity="m-\ud800"), "surrogate"),
    (lambda r: r.memories.ahistory("  "), "the id of a memory is empty"),
    (lambda r: r.aingest(5), r"a path to ingest must be a str or Path, not 5"),
    (lambda r: r.arecall(ASKED, k=2, tokens=50), r"k and tokens both limit .*give only one"),
    (lambda r: r.aexplain(5, "ida"), r"the trace must be a result, a trace, its id or its file"),
    (lambda r: r.graph.ainvoke({}), r"the graph takes a question"),
    (
        lambda r: Recall.aopen("store", config=cast(Any, {"limits.k": 3})),
        r"config must be a secondhop Config",
    ),
]


@once
@pytest.mark.parametrize(("call", "wanted"), CALLS)
async def test_what_cannot_be_is_refused_with_what_is_wanted(
    opened: Any, call: Callable[[Any], Awaitable[object]], wanted: str
) -> None:
    with pytest.raises(UsageError, match=wanted):
        await call(opened)


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (
            lambda: Config(ranking=cast(Any, {"min_score": 0.3})),
            r"Config\.ranking cannot be .*an instance of RankingSettings",
        ),
        (lambda: RecallLimits(k=cast(Any, "6")), r"RecallLimits\.k cannot be '6': .*integer"),
        (lambda: RecallLimits(k=10**400), r"RecallLimits\.k cannot be .*or equal to 1000000"),
        (lambda: BriefingSettings(limit=cast(Any, 2.5)), r"limit cannot be 2.5: .*integer"),
        (lambda: TraceSettings(max_count=cast(Any, nan)), r"max_count cannot be nan: .*integer"),
        (lambda: RankingSettings(min_score=cast(Any, None)), r"min_score cannot be None: .*number"),
        (lambda: RankingSettings(recency=cast(Any, "old")), r"recency cannot be 'old': .*'auto'"),
        (lambda: RankingSettings(source_priority="x=9"), r"source_priority cannot be 'x=9': .*2,"),
    ],
)
def test_a_config_of_other_types_is_refused(make: Callable[[], object], wanted: str) -> None:
    with pytest.raises(UsageError, match=wanted):
        make()


async def test_a_result_and_its_trace_id_explain_alike(recall: Any) -> None:
    found = await recall.arecall(ASKED)
    told = await recall.aexplain(found, "ida")

    assert told == await recall.aexplain(found.trace_id, "ida")


async def test_files_are_ingested_one_by_one_or_in_a_list(recall: Any, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.md").write_text(f"The note {name} says hello.", encoding="utf-8")
    await recall.aingest([tmp_path / "one.md", str(tmp_path / "two.md")])

    assert (await recall.memories.acounts()).memories == 3


# --- prompts where no model will read them ---


def folder_of(place: Path, files: dict[str, str]) -> Path:
    place.mkdir()
    for name, text in files.items():
        (place / name).write_text(text, encoding="utf-8")
    return place


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        (None, "is not a folder"),
        ({}, r"holds no prompt file; put one there \(decompose\.md"),
        ({"diary.md": "Dear diary"}, "diary.md: no prompt has that name"),
        ({"expand.md": "Dear diary"}, "expand.md"),
    ],
)
@pytest.mark.parametrize("llm", [None, "offline", "openai:m"])
async def test_prompts_that_cannot_be_are_refused_also_where_no_model_reads_them(
    tmp_path: Path, files: dict[str, str] | None, fault: str, llm: str | None
) -> None:
    place = tmp_path / "notes" if files is None else folder_of(tmp_path / "notes", files)

    with pytest.raises(UsageError, match=fault):
        await Recall.aopen(tmp_path / "store", embedder="hashing", llm=llm, prompts=place)
    with pytest.raises(UsageError, match=fault):
        await Recall.aopen(
            tmp_path / "store", embedder="hashing", llm=llm, prompts=cast(Path, str(place))
        )


async def test_offline_is_a_word_for_no_language_model(tmp_path: Path) -> None:
    async with await Recall.aopen(tmp_path, embedder="hashing", llm="offline") as recall:
        assert recall.admin.services.planner is None
    with pytest.raises(UsageError, match="choose one of: offline, openai:MODEL"):
        await Recall.aopen(tmp_path, embedder="hashing", llm="foo")


def test_an_empty_name_of_a_store_makes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UsageError, match="name a folder"):
        Recall.open("", embedder="hashing")

    assert not list(tmp_path.iterdir())


async def test_a_moment_may_be_iso_text_wherever_a_moment_is_given(recall: Any) -> None:
    at, memories = "2026-01-01T09:00+01:00", recall.memories
    kept = await memories.aremember("The oven runs hot", at=at, valid_until="2027-01-01")
    (one,) = [one for one in await memories.alist() if one.memory_id == kept.memory_id]
    assert one.created_at == datetime(2026, 1, 1, 8, tzinfo=UTC)

    answer = await recall.arecall(ASKED, at=at, as_of=at)
    await memories.aaccept(answer, at=at)
    await memories.aobserve([{"role": "user", "content": "I live in Bonn"}], at=at)
    assert [one.value for one in await memories.afacts("me", as_of="2026-01-02")] == ["Bonn"]
    await memories.aupdate(kept.memory_id, at=at, valid_until="2028-01-01")
    await memories.abriefing(at=at)
    await memories.adeprecate(kept.memory_id, "sold", at=at)
    assert (await recall.sessions.astart(ASKED, at=at, as_of=at)).asked_at == one.created_at

"""What a program gives that cannot be: refused at the door, in words that say what is wanted."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from tests.fakes import note

from secondhop.errors import UsageError
from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")

ASKED = "Who is Ida?"


@pytest.fixture
async def recall(tmp_path: Path) -> AsyncIterator[Any]:
    """Without its types, as a program has it whose types nobody checks."""
    async with await Recall.aopen(tmp_path / "store", embedder="hashing") as opened:
        await opened.aadd([note("ida", "My sister is called Ida.")])
        yield opened


CALLS: list[tuple[Callable[[Any], Awaitable[object]], str]] = [
    (lambda r: r.memories.aremember(5), r"a text \(str\), a Fact or a Preference, not 5 \(int\)"),
    (
        lambda r: r.memories.aremember("x", at="2026-01-01"),
        r"at must be a datetime, not '2026-01-01' \(str\)",
    ),
    (
        lambda r: r.memories.aremember("x", valid_until=2026),
        r"valid_until must be a datetime, not 2026",
    ),
    (lambda r: r.memories.aupdate("ida", ["x"]), r"a text \(str\), a Fact or a Preference"),
    (lambda r: r.memories.aupdate("ida", valid_until="soon"), r"valid_until must be a datetime"),
    (lambda r: r.memories.adeprecate("ida", "gone", at="now"), r"at must be a datetime"),
    (lambda r: r.memories.afacts(as_of="2026"), r"as_of must be a datetime"),
    (lambda r: r.memories.aaccept("t", at="2026"), r"at must be a datetime"),
    (lambda r: r.arecall(None), r"the question must be a text \(str\), not None"),
    (lambda r: r.arecall(ASKED, k="6"), r"k must be a whole number \(int\), not '6' \(str\)"),
    (lambda r: r.arecall(ASKED, k=2.5), r"k must be a whole number \(int\), not 2.5 \(float\)"),
    (lambda r: r.arecall(ASKED, k=True), r"k must be a whole number"),
    (lambda r: r.arecall(ASKED, k=0), r"k must be at least 1, not 0"),
    (lambda r: r.arecall(ASKED, tokens="6"), r"tokens must be a whole number"),
    (lambda r: r.arecall(ASKED, at="2026-01-01"), r"at must be a datetime.*fromisoformat"),
    (lambda r: r.arecall(ASKED, as_of=0), r"as_of must be a datetime, not 0"),
    (lambda r: r.sessions.astart(None), r"the question must be a text"),
    (lambda r: r.sessions.astart(ASKED, k="6"), r"k must be a whole number"),
    (lambda r: r.sessions.astart(ASKED, at="2026"), r"at must be a datetime"),
    (lambda r: r.abriefing(limit="3"), r"limit must be a whole number"),
    (lambda r: r.abriefing(at="2026"), r"at must be a datetime"),
    (lambda r: r.memories.aobserve([], at="2026"), r"at must be a datetime"),
    (
        lambda r: r.aadd(["My sister"]),
        r"a memory to add must be .*not 'My sister' \(str\).*remember",
    ),
    (lambda r: r.aadd(note("one", "one")), r"a list for one"),
]


@pytest.mark.parametrize(("call", "wanted"), CALLS)
async def test_what_cannot_be_is_refused_with_what_is_wanted(
    recall: Any, call: Callable[[Any], Awaitable[object]], wanted: str
) -> None:
    with pytest.raises(UsageError, match=wanted):
        await call(recall)


async def test_a_session_of_no_question_is_refused_where_it_is_made(recall: Any) -> None:
    with pytest.raises(UsageError, match="the question must be a text"):
        recall.sessions.open(5)


async def test_what_can_be_passes(recall: Any) -> None:
    naive = datetime(2026, 1, 1)
    found = await recall.arecall(ASKED, k=1, at=datetime(2026, 1, 1, tzinfo=UTC), as_of=None)
    earlier = await recall.arecall(ASKED, at=naive)

    assert found.asked_at == earlier.asked_at


# --- prompts that no model will read ---


def folder_of(place: Path, files: dict[str, str]) -> Path:
    place.mkdir()
    for name, text in files.items():
        (place / name).write_text(text, encoding="utf-8")
    return place


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        (None, "is no folder"),
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
        assert recall.services.planner is None
    with pytest.raises(UsageError, match="choose one of: offline, openai:MODEL"):
        await Recall.aopen(tmp_path, embedder="hashing", llm="foo")

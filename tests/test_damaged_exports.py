"""Damaged lines of an export are imported as they are, or refused by line number."""

import json
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from secondhop.errors import UsageError
from secondhop.ingest.jsonl import EXPORT_FORMAT
from secondhop.memories.export_format import VERSION, End, Header, MemoryRecord, record_of
from secondhop.recall import Recall
from secondhop.stores.counters import Counters
from secondhop.stores.keeping import HistoryEntry, Keeping

pytestmark = pytest.mark.usefixtures("library_of_tests")

HEADER = Header(format=EXPORT_FORMAT, version=VERSION).line()


def closing_line(memories: int) -> str:
    """The last line of an export."""
    return End(end=EXPORT_FORMAT, memories=memories).line()


NOON = datetime(2026, 3, 1, 12, tzinfo=UTC).isoformat()
WHOLE: dict[str, Any] = {
    "id": "job",
    "title": "me: job",
    "source": "fact",
    "created_at": NOON,
    "messages": [{"role": "user", "content": "me: job is cook"}],
    "origin": "notes",
    "kind": "factual",
    "subject": "me",
    "attribute": "job",
    "value": "cook",
    "scope": "always",
    "keeping": {
        "valid_until": NOON,
        "salience": 0.7,
        "deprecated_at": NOON,
        "deprecated_because": "left",
        "superseded_at": NOON,
        "superseded_by": "other",
        "mark": "core",
    },
    "history": [{"at": NOON, "act": "remembered", "other_id": "", "detail": "said"}],
    "earlier": [
        {
            "title": "job",
            "source": "note",
            "created_at": NOON,
            "messages": [{"role": "user", "content": "job is baker"}],
            "origin": "old notes",
            "kind": "continuity",
            "subject": "me",
            "attribute": "job",
            "value": "baker",
            "scope": "always",
            "replaced_at": NOON,
            "replaced_by": "notes",
        }
    ],
    "counters": {"retrieved": 3, "shown": 2, "accepted": 1, "accepted_at": NOON},
}
"""A line of an export with every field that a line can have."""

ODD: list[Any] = [
    *(None, True, -1, 1.5, 10**30, 10**400, "", "bogus", "\x00", "\ud800", [], {}, [None]),
    *({"x": 1}, [[]], "0001-01-01T00:00+14:00", "9999-12-31T23:59-14:00", "2026-01-01"),
]


def with_one(told: dict[str, Any], name: str, value: Any) -> dict[str, Any]:
    """The line with another value at a path like "keeping.salience" or "messages.0.role"."""
    changed: Any = deepcopy(told)
    *path, last = [int(part) if part.isdecimal() else part for part in name.split(".")]
    inner = changed
    for part in path:
        inner = inner[part]
    inner[last] = value
    return dict(changed)


Place = tuple[str | int, ...]


def places(told: Any, before: Place = ()) -> Iterator[Place]:
    """The paths of all values in a document."""
    keys: Iterable[str | int] = told.keys() if hasattr(told, "keys") else range(len(told))
    for key in keys:
        yield (*before, key)
        if isinstance(told[key], (dict, list)):
            yield from places(told[key], (*before, key))


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A line in which one to three values were dropped, replaced or added."""
    line = deepcopy(WHOLE)
    for _ in range(draw(st.integers(1, 3))):
        *path, last = draw(st.sampled_from(list(places(line))))
        inner: Any = line
        for part in path:
            inner = inner[part]
        match draw(st.sampled_from(["drop", "put", "add"])):
            case "drop":
                del inner[last]
            case "add" if isinstance(inner, dict):
                inner["surplus"] = deepcopy(draw(st.sampled_from(ODD)))
            case _:
                inner[last] = deepcopy(draw(st.sampled_from(ODD)))
        if not line:
            break
    return json.dumps(line)


def refusal_of(line: str) -> str:
    """The error when the line is read; "" if it can be read."""
    try:
        read = record_of(MemoryRecord, line, 2).stored()
    except UsageError as error:
        return str(error)
    return "" if read.memory_id and read.messages else "an empty memory was read"


@settings(max_examples=150, deadline=None)
@given(line=damaged())
def test_reading_a_damaged_line_knows_no_other_error(line: str) -> None:
    refusal = refusal_of(line)

    assert not refusal or refusal.startswith("line 2 of the export cannot be read: it")


async def test_a_line_with_everything_is_exported_as_it_was_imported(tmp_path: Path) -> None:
    lines = [HEADER, json.dumps(WHOLE), closing_line(1)]
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        await recall.admin.aimport(lines)
        _, line, _ = [one async for one in recall.admin.aexport()]
        assert without_defaults(json.loads(line)) == without_defaults(WHOLE)
        assert len((await recall.memories.ahistory("job")).versions) == 2


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        ("title", None, r"title: .*string, not None \(NoneType\)"),
        ("kind", "bogus", r"kind: .*'factual', 'preferential' or 'continuity', not 'bogus'"),
        ("counters", {"seen": 1}, "counters.seen: "),
        ("counters", {"retrieved": "a"}, "counters.retrieved: .*integer, not 'a'"),
        ("counters.shown", -1, "counters.shown: .*greater than or equal to 0"),
        ("keeping.salience", 2, "keeping.salience: .*less than or equal to 1"),
        ("keeping.mark", "bogus", "keeping.mark: "),
        ("keeping.valid_until", "9999-12-31T23:59-14:00", "keeping.valid_until: .*calendar"),
        ("history.0.act", "bogus", "history.0.act: "),
        ("messages.0.content", " ", "no message with text"),
        ("earlier.0.messages.0.content", " ", "earlier.0: it has no message with text"),
        ("earlier.0.replaced_at", "soon", "earlier.0.replaced_at: "),
        ("id", "\x00 ", "its id is empty"),
    ],
)
async def test_a_line_that_cannot_be_is_named_with_what_is_wrong_and_nothing_of_it_stays(
    tmp_path: Path, place: str, value: Any, told: str
) -> None:
    export = tmp_path / "all.jsonl"
    other = with_one(WHOLE, "id", "other")
    lines = [HEADER, json.dumps(other), json.dumps(with_one(WHOLE, place, value)), closing_line(2)]
    export.write_text("\n".join(lines), encoding="ascii")
    async with await Recall.aopen(tmp_path / "store", embedder="hashing") as recall:
        with pytest.raises(UsageError, match=rf"all\.jsonl: line 3 of the export .*{told}"):
            await recall.admin.aimport_from(export)

        assert [one async for one in recall.admin.aexport()] == [HEADER, closing_line(0)]
        assert (await recall.memories.acounters("job"))["job"] == Counters()


def test_a_line_nested_beyond_reading_is_refused() -> None:
    with pytest.raises(UsageError, match=r"line 2 .*recursion limit"):
        record_of(MemoryRecord, "[" * 200_000, 2)


def test_a_line_may_say_all_that_is_kept_of_a_memory() -> None:
    """An import would refuse or lose a new field that it does not know."""
    assert set(WHOLE["keeping"]) == {one.name for one in fields(Keeping)}
    assert set(WHOLE["counters"]) == {one.name for one in fields(Counters)}
    assert set(WHOLE["history"][0]) == {one.name for one in fields(HistoryEntry)} - {"memory_id"}


OLD = Path(__file__).parent / "samples" / "export-0.1.jsonl"
"""An export of version 0.1.0 with all kinds, ended memories, marks, counters and settings."""


async def test_what_version_0_1_exported_is_imported_whole(tmp_path: Path) -> None:
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        done = await recall.admin.aimport_from(OLD)
        again = [json.loads(line) async for line in recall.admin.aexport()]
        facts = await recall.memories.afacts("me", "job")
        counted = (await recall.memories.acounters("hook"))["hook"]
        ends = {one.memory_id: one.end[:10] for one in await recall.memories.alist()}

    assert (done.read, done.stored, done.conflicts) == (10, 10, [])
    assert "ranking.recency" in done.notice  # version 0.1 kept settings with an entity
    assert [fact.value for fact in facts] == ["cook"]
    assert {i: end for i, end in ends.items() if end} == {
        "chat": "deprecated",
        "f-baker": "superseded",
        "mat": "superseded",
    }
    assert (counted.shown, counted.accepted) == (2, 2)
    old = [json.loads(line) for line in OLD.read_text(encoding="ascii").splitlines()]
    del old[0]["settings"]
    assert [without_defaults(one) for one in again] == [without_defaults(one) for one in old]


def without_defaults(told: Any) -> Any:
    """A document without values that are also the defaults, which version 0.1 wrote out."""
    if isinstance(told, list):
        return [without_defaults(one) for one in cast(list[object], told)]
    if not isinstance(told, dict):
        return told
    named = cast(dict[str, object], told)
    kept = {name: without_defaults(value) for name, value in named.items()}
    return {n: value for n, value in kept.items() if value not in ("", None, 0, 0.5, "continuity")}

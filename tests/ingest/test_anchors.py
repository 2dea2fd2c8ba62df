"""The parts of a file keep their ids, whatever happens to the file."""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from secondhop.ingest.anchors import named
from secondhop.ingest.reading import Document, Found
from secondhop.ingest.sources import read_source
from secondhop.ingest.stored import NOTHING, Stored
from secondhop.ingest.walk import Walker, source_of
from secondhop.models.hashing import HashingEmbedder
from secondhop.recall import Recall
from secondhop.stores.records import Memory, Message

TRAIN = "[01/02/2026, 09:00:00] Ana: The train.\n[01/02/2026, 09:05:00] Me: Thanks.\n"
PLUMBER = "[08/03/2026, 08:11:00] Ana: The plumber asks 2100.\n[08/03/2026, 08:12:00] Me: Oh.\n"
FLIGHT = "[08/03/2026, 20:12:00] Ana: Granny's flight.\n[08/03/2026, 20:13:00] Me: At six?\n"
PARTY = "[20/05/2026, 10:00:00] Ana: The party.\n[20/05/2026, 10:30:00] Me: In June.\n"


def stored(memories: Sequence[Memory]) -> Stored:
    return Stored(
        hashes={one.memory_id: one.content_hash for one in memories},
        origins={one.memory_id: one.origin for one in memories},
        dates={one.memory_id: one.created_at for one in memories},
    )


def read(file: Path, text: str, *, before: Sequence[Memory] = ()) -> list[Memory]:
    """The memories of a file with this text, if those of `before` are stored."""
    file.write_text(text)
    known = stored(before) if before else NOTHING
    entries = read_source(source_of(file), walker=Walker(), given=None, stored=known)
    return [entry.memory for entry in entries if isinstance(entry, Found)]


def ids(memories: Sequence[Memory]) -> dict[str, str]:
    return {one.text: one.memory_id for one in memories}


async def test_a_correction_stays_with_its_conversation_if_an_export_begins_later(
    tmp_path: Path,
) -> None:
    file = tmp_path / "Family.txt"
    file.write_text(TRAIN + PLUMBER + FLIGHT + PARTY)
    async with await Recall.aopen(tmp_path / "store", embedder=HashingEmbedder()) as recall:
        await recall.aingest(file)
        await recall.memories.aupdate("Family.txt#2026-03-08", "The plumber asks 1800.")
        file.write_text(PLUMBER + FLIGHT + PARTY)
        planned = await recall.aingest(file, dry_run=True)
        ledger = await recall.aingest(file)

        assert planned.plan is not None
        assert planned.plan.deleted == ("Family.txt#2026-02-01",)
        assert (ledger.stored, ledger.unchanged, ledger.deleted) == (0, 3, 1)
        ended = [one for one in await recall.memories.afind("Family") if one.end]
        assert [one.memory_id for one in ended] == ["Family.txt#2026-03-08"]
        plumber = await recall.admin.store.memory("Family.txt#2026-03-08")
        assert plumber is not None
        assert "2100" in plumber.text


def test_ids_of_older_stores_stay(tmp_path: Path) -> None:
    file = tmp_path / "Family.txt"
    older = ["Family.txt", "Family.txt#2026-03-08", "Family.txt#2026-03-08-2"]
    before = [
        replace(one, memory_id=memory_id)
        for one, memory_id in zip(read(file, TRAIN + PLUMBER + FLIGHT), older, strict=True)
    ]

    train, plumber, flight = before
    assert read(file, TRAIN + PLUMBER + FLIGHT, before=before) == before
    assert read(file, PLUMBER + FLIGHT, before=before) == [plumber, flight]
    earlier, *rest = read(file, TRAIN.replace("01/02", "01/01") + TRAIN + FLIGHT, before=before)
    assert (earlier.memory_id, rest) == ("Family.txt#2026-01-01", [train, flight])


def test_a_conversation_that_goes_on_or_lost_its_beginning_keeps_its_id(tmp_path: Path) -> None:
    file = tmp_path / "Family.txt"
    before = read(file, PLUMBER + FLIGHT)
    begun = "[08/03/2026, 20:13:00] Me: At six?\n[08/03/2026, 20:20:00] Ana: Yes.\n"

    (flight,) = read(file, begun, before=before)

    assert flight.memory_id == "Family.txt#2026-03-08-2"


@pytest.mark.parametrize(
    ("name", "mark"), [("journal.md", "# 2026-03-04\n"), ("diary.txt", "2026-03-04\n")]
)
def test_of_two_entries_under_one_date_each_keeps_its_id(
    tmp_path: Path, name: str, mark: str
) -> None:
    file, other = tmp_path / name, mark.replace("04", "02") + "Rain.\n"
    tea, walk, sun = (f"{mark}{text}\n" for text in ("Tea.", "A walk.", "Sun."))
    before = read(file, tea + walk + other)
    day = f"{name}#2026-03-04"
    assert [one.memory_id for one in before[:2]] == [day, f"{day}-2"]

    def after(text: str) -> list[str]:
        return [one.memory_id for one in read(file, text + other, before=before)][:-1]

    assert after(walk + mark.replace("04", "05") + "x\n") == [f"{day}-2", f"{name}#2026-03-05"]
    assert after(sun + tea + walk) == [f"{day}-3", day, f"{day}-2"]
    assert after(tea + sun) == [day, f"{day}-2"]  # the second was edited
    assert after(sun) == [f"{day}-3"]  # one of them was edited; nobody knows which
    assert after(tea + tea) == [day, f"{day}-2"]


def test_a_numbered_heading_is_not_a_second_one(tmp_path: Path) -> None:
    file = tmp_path / "weeks.md"
    before = read(file, "# Week\nPlan.\n# Week 2\nRest.\n")

    after = read(file, "# Week\nPlans.\n# Week 2\nRun.\n", before=before)

    assert [one.memory_id for one in after] == ["weeks.md#week", "weeks.md#week-2"]


def test_parts_that_the_file_dates_cost_few_hashes_each_and_keep_their_ids(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, count = tmp_path / "a.md", 100
    text = "".join(f"# Topic {n}x\nold {n}\n" for n in range(count))
    text += "# Walk\nold\n# Walk\nclean\n"
    before = [
        replace(one, created_at=datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=n))
        for n, one in enumerate(read(file, text))
    ]
    after = read(file, text.replace("# Walk\nold\n", ""), before=before)
    assert [one.memory_id for one in after][-2:] == [f"a.md#topic-{count - 1}x", "a.md#walk-2"]

    hashed = list[Memory]()
    content_hash: Callable[[Memory], str] = vars(Memory)["content_hash"].fget

    def counted(memory: Memory) -> object:
        hashed.append(memory)
        return content_hash(memory)

    monkeypatch.setattr(Memory, "content_hash", property(counted))
    after = read(file, text.replace("old", "new"), before=before)

    assert [one.memory_id for one in after] == [one.memory_id for one in before]
    assert len(hashed) < 20 * count


MIDNIGHT = datetime(2026, 3, 4, tzinfo=UTC)


def part(hour: int, text: str, *, origin: str = "/here", talk: bool = True) -> Found:
    """A conversation, or what stands above the first one."""
    at = MIDNIGHT + timedelta(hours=hour)
    return Found(
        memory=Memory(
            memory_id="j.txt",
            title="",
            source="note",
            created_at=at,
            messages=(Message("user", text),),
            origin=origin,
        ),
        item="j.txt",
        named_by_path=True,
        anchor=f"{at:%Y-%m-%d}" if talk else "",
        begins=at if talk else None,
    )


FIRST, SECOND, THIRD = "j.txt#2026-03-04", "j.txt#2026-03-04-2", "j.txt#2026-03-04-3"


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        # by its time and by its name, two parts could be the stored one; only one gets its id
        (
            {"j.txt": part(7, "a")},
            [part(7, "A"), part(8, "n", talk=False)],
            ["j.txt", "j.txt#note"],
        ),
        # one change is settled; of the other it is open which part it was
        (
            {"j.txt": part(8, "a", talk=False), FIRST: part(7, "b"), SECOND: part(14, "c")},
            [part(7, "B"), part(14, "C")],
            [FIRST, THIRD],
        ),
        # a new part does not get the id of a changed one
        ({FIRST: part(0, "a")}, [part(23, "n"), part(0, "b")], [SECOND, FIRST]),
        # of a file that was moved, what is unchanged keeps its id, and no other part gets it
        (
            {"j.txt": part(0, "a", origin="/gone")},
            [part(8, "n", talk=False), part(0, "a")],
            ["j.txt#note", "j.txt"],
        ),
        ({"j.txt": part(0, "a", origin="/gone")}, [part(0, "A")], ["j.txt"]),
        # its own ids come first, then those of the moved file
        (
            {FIRST: part(0, "a", origin="/gone"), "j.txt": part(1, "b", talk=False)},
            [part(0, "a")],
            [FIRST],
        ),
        ({"j.txt": part(0, "a", origin="/gone"), FIRST: part(0, "a")}, [part(0, "a")], [FIRST]),
    ],
)
def test_each_part_gets_an_id_of_its_own(
    before: dict[str, Found], now: list[Found], expected: list[str]
) -> None:
    known = stored([replace(one.memory, memory_id=key) for key, one in before.items()])
    document = Document(
        item="j.txt",
        path="j.txt",
        origin="/here",
        modified_at=MIDNIGHT,
        size=0,
        read=lambda: iter(()),
    )

    assert [one.memory.memory_id for one in named(now, document, stored=known)] == expected


def chat(entries: Sequence[tuple[int, str]]) -> str:
    lines = [
        f"2026-03-{1 + hour // 3:02} {8 * (hour % 3):02}:{minute:02} Ana: {text}\n"
        for hour, text in sorted(entries)
        for minute in (0, 1)
    ]
    return "".join(lines)


def journal(entries: Sequence[tuple[int, str]]) -> str:
    return "".join(f"2026-03-{1 + day // 3:02}\n{text}\n" for day, text in entries)


def markdown(entries: Sequence[tuple[int, str]]) -> str:
    return "".join(f"# Day {1 + day // 3}\n{text}\n" for day, text in entries)


ENTRIES = st.lists(
    st.tuples(st.integers(0, 11), st.sampled_from(["tea", "walk", "rain", "sun"])),
    unique_by=lambda entry: entry[0],
    min_size=2,
)


@pytest.mark.parametrize(
    ("name", "written"), [("a.txt", chat), ("b.txt", journal), ("c.md", markdown)]
)
@given(versions=st.lists(ENTRIES, min_size=2, max_size=5))
@example(versions=[[(0, "tea"), (1, "walk"), (3, "sun")], [(1, "walk"), (3, "sun")]])
def test_what_is_unchanged_keeps_its_id_through_all_versions_of_a_file(
    name: str,
    written: Callable[[Sequence[tuple[int, str]]], str],
    versions: list[list[tuple[int, str]]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        before: list[Memory] = []
        for version in versions:
            now = [(at, f"{text} {at}") for at, text in version]
            after = read(Path(folder) / name, written(now), before=before)

            assert len({one.memory_id for one in after}) == len(after)
            kept = {text: one for text, one in ids(before).items() if text in ids(after)}
            assert kept.items() <= ids(after).items()
            before = after

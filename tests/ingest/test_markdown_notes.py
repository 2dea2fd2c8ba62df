"""Which notes a Markdown file holds."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.ingest.markdown_notes import notes_in
from secondhop.ingest.reading import Found, Skipped
from secondhop.ingest.sources import read_source
from secondhop.ingest.walk import Walker, source_of
from secondhop.models.hashing import HashingEmbedder
from secondhop.recall import Recall
from secondhop.stores.records import Memory


def memories(path: Path) -> list[Memory]:
    entries = read_source(source_of(path), walker=Walker(max_file_bytes=10_000_000), given=None)
    return [entry.memory for entry in entries if isinstance(entry, Found)]


def test_each_top_heading_of_several_is_a_memory(tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    file.write_text(
        "# Interview\nAt Carefeed.\n\n## Role\nBackend.\n\n# Quiche [[Lille]] #dinner\nEgg. #food\n"
    )

    interview, quiche = memories(file)

    assert (interview.memory_id, interview.title) == ("notes.md#interview", "notes: Interview")
    assert interview.messages[0].content == "At Carefeed.\n\n## Role\n\nBackend."
    assert quiche.tags == ("dinner", "food", "[[Lille]]")


def test_each_day_of_a_journal_is_a_memory_of_that_day(tmp_path: Path) -> None:
    file = tmp_path / "journal.md"
    file.write_text(
        "---\ntags: diary\n---\n# 2025\n\n## 2025-12-31 Wednesday\nFireworks.\n"
        "\n# 2026\n\n## 2026-01-01\nSlept.\n\n## 2026-01-01\nA walk, later.\n"
    )

    last, first, later = memories(file)

    assert last.created_at == datetime(2025, 12, 31, tzinfo=UTC)
    assert last.title == "journal: 2025-12-31 Wednesday"
    assert (first.memory_id, later.memory_id) == (
        "journal.md#2026-01-01",
        "journal.md#2026-01-01-2",
    )
    assert later.tags == ("diary",)


@pytest.mark.parametrize(
    "heading",
    [
        "2025-11-24",
        "2025/11/24 Monday",
        "24.11.2025",
        "Mon 24 Nov 2025",
        "24th November 2025",
        "November 24, 2025",
    ],
)
def test_a_day_is_written_in_many_ways(heading: str, tmp_path: Path) -> None:
    file = tmp_path / "journal.md"
    file.write_text(
        f"# Journal\n\n## {heading}\nRain.\n\n## Ideas\nA boat.\n\n## 1 May 2024\nSun.\n"
    )

    rain, boat, _ = memories(file)

    assert rain.created_at == datetime(2025, 11, 24, tzinfo=UTC)
    assert boat.memory_id == "journal.md#ideas"


def test_words_above_the_first_note_are_a_note_too(tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    file.write_text("Kept since May.\n\n# Tea\nGreen.\n\n# Milk\nOat.\n")

    assert [one.memory_id for one in memories(file)] == [
        "notes.md",
        "notes.md#tea",
        "notes.md#milk",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "# Carefeed\nThey sell software.\n\n## Role\nBackend.\n\n## People\nAna.",
        "---\ntitle: Carefeed\n---\n# Role\nBackend.\n\n# People\nAna.",
        "# User\nHi.\n\n# Assistant\nHello.\n\n# User\nThanks.\n\n# Assistant\nBye.",
        "```\n# install\n# run\n```",
        "# Plan\n\n## Q3 Marketing 2024\nPosters.\n\n## Q4 Marketing 2024\nFairs.",
    ],
    ids=["one title", "front matter", "a chat", "code", "no dates"],
)
def test_other_files_are_one_note(text: str, tmp_path: Path) -> None:
    file = tmp_path / "note.md"
    file.write_text(text)

    (entry,) = read_source(source_of(file), walker=Walker(), given=None)
    assert isinstance(entry, Found)  # and no notice
    assert entry.memory.memory_id == "note.md"


def test_a_file_of_many_sections_that_is_one_memory_is_named(tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    file.write_text("# My notes\n" + "\n".join(f"## Thing {n}\nText.\n" for n in range(6)))

    entries = read_source(source_of(file), walker=Walker(), given=None)
    notice, found = entries

    assert isinstance(notice, Skipped)
    assert notice.is_notice
    assert "one memory of many sections" in notice.reason
    assert isinstance(found, Found)


async def test_a_newer_file_dates_only_what_changed_in_it(tmp_path: Path) -> None:
    file, old = tmp_path / "notes.md", datetime(2025, 1, 2, tzinfo=UTC).timestamp()
    file.write_text("# Tea\nGreen.\n\n# Milk\nOat.\n")
    os.utime(file, (old, old))
    async with await Recall.aopen(tmp_path / "store", embedder=HashingEmbedder()) as recall:
        await recall.aingest(file)
        await recall.memories.cues.aadd("notes.md#tea", "what to drink at breakfast")
        file.write_text("# Tea\nGreen.\n\n# Milk\nSoy.\n")
        ledger = await recall.aingest(file)

        tea = await recall.admin.store.memory("notes.md#tea")
        assert (ledger.replaced, ledger.unchanged) == (1, 1)
        assert tea is not None
        assert tea.created_at == datetime(2025, 1, 2, tzinfo=UTC)
        assert len((await recall.memories.cues.ashow("notes.md#tea")).cues) == 1


HEADINGS = st.sampled_from(["# A", "# a-2", "# B", "## 2026-01-01", "## C", "# !", "### D"])


@given(st.lists(HEADINGS | st.sampled_from(["tea", "milk\nsugar", "```\n# code\n```"])))
def test_no_text_is_lost(lines: list[str]) -> None:
    body = "\n\n".join([*lines, "the end"])

    notes = list(notes_in(body, may_split=True))

    text = "\n\n".join(f"{note.heading}\n\n{note.text}" for note in notes)
    assert all(line in text for line in lines if not line.startswith("#"))
    assert text.endswith("the end")

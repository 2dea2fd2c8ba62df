"""Which notes a Markdown file holds."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from secondhop.ingest.markdown_notes import notes_in
from secondhop.ingest.reading import Found
from secondhop.ingest.sources import read_source
from secondhop.ingest.walk import Walker, source_of
from secondhop.stores.records import Memory


def memories(path: Path) -> list[Memory]:
    entries = read_source(source_of(path), walker=Walker(max_file_bytes=10_000_000), given=None)
    return [entry.memory for entry in entries if isinstance(entry, Found)]


def test_each_top_heading_of_several_is_a_memory(tmp_path: Path) -> None:
    file = tmp_path / "notes.md"
    file.write_text("# Interview\nAt Carefeed.\n\n## Role\nBackend.\n\n# Quiche\nEggs. #food\n")

    interview, quiche = memories(file)

    assert (interview.memory_id, interview.title) == ("notes.md#interview", "notes: Interview")
    assert interview.messages[0].content.endswith("## Role\n\nBackend.")
    assert (quiche.memory_id, quiche.tags) == ("notes.md#quiche", ("food",))


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
    ],
    ids=["one title", "front matter", "a chat", "code"],
)
def test_other_files_are_one_note(text: str, tmp_path: Path) -> None:
    file = tmp_path / "note.md"
    file.write_text(text)

    assert [one.memory_id for one in memories(file)] == ["note.md"]


HEADINGS = st.sampled_from(["# A", "# a-2", "# B", "## 2026-01-01", "## C", "# !", "### D"])


@given(st.lists(HEADINGS | st.sampled_from(["tea", "milk\nsugar", "```\n# code\n```"])))
def test_no_text_is_lost_and_no_anchor_is_used_twice(lines: list[str]) -> None:
    body = "\n\n".join([*lines, "the end"])

    notes = list(notes_in(body, may_split=True))

    text = "\n\n".join(note.text for note in notes)
    assert all(line in text for line in lines if not line.startswith("#"))
    assert text.endswith("the end")
    anchors = [note.anchor for note in notes if note.anchor]
    assert len(set(anchors)) == len(anchors)

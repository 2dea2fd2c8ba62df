"""Each sample file as its reader sees it."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from secondhop.ingest.dates import parse_date
from secondhop.ingest.reading import Found, Skipped
from secondhop.ingest.sources import read_source
from secondhop.ingest.walk import Walker, source_of
from secondhop.stores.records import Memory, Message


def entries(path: Path, *, given: str | None = None) -> list[Found | Skipped]:
    walker = Walker(max_file_bytes=10_000_000)
    return list(read_source(source_of(path), walker=walker, given=given))


def memories(path: Path, *, given: str | None = None) -> list[Memory]:
    return [entry.memory for entry in entries(path, given=given) if isinstance(entry, Found)]


def reasons(path: Path, *, given: str | None = None) -> list[str]:
    return [entry.reason for entry in entries(path, given=given) if isinstance(entry, Skipped)]


def test_chatgpt_keeps_the_branch_its_owner_last_saw(samples: Path) -> None:
    prep, sourdough = memories(samples / "chatgpt" / "conversations.json")
    assert prep.memory_id == "6630a1b2-0001"
    assert prep.created_at == datetime(2024, 5, 1, 10, 0, 0, 123456, tzinfo=UTC)
    assert prep.messages == (
        Message("user", "What does Carefeed do, and who are its customers?"),
        Message("assistant", "Carefeed sells communication software to senior living operators."),
        Message("user", "[image]\n\nHere is the org chart. Who would I report to?"),
        Message("assistant", "```python\nprint(2 + 2)\n```"),
        Message("assistant", "```\n4\n```"),
        Message("assistant", "You would report to the VP of Product."),
    )
    assert sourdough.title == "New Chat"


def test_claude_keeps_text_blocks_and_attachments(samples: Path) -> None:
    review, untitled = memories(samples / "claude" / "conversations.json")
    assert review.title == "Résumé review"
    assert review.created_at == datetime(2025, 2, 3, 9, 15, 30, 123456, tzinfo=UTC)
    assert review.messages == (
        Message(
            "user",
            "Please review my résumé.\n\nAttachment resume.txt:\n\n"
            "Led the billing migration for 40 facilities.",
        ),
        Message("assistant", "Looking.\n\nLead with the migration."),
    )
    assert (untitled.title, untitled.messages[0].content) == (
        "New Chat",
        "Old exports only have text.",
    )


def test_markdown_notes_take_title_and_date_from_where_they_stand(samples: Path) -> None:
    standup, garden, servers = memories(samples / "notes")
    assert (standup.memory_id, standup.title) == ("2024-05-01.md", "Standup")
    assert standup.created_at == datetime(2024, 5, 1, tzinfo=UTC)
    assert (garden.memory_id, garden.title) == ("projects/garden.md", "Planting plan")
    assert (servers.title, servers.source) == ("Server addresses", "note")
    assert servers.created_at == datetime(2025, 5, 20, tzinfo=UTC)
    assert servers.messages[0].content.startswith("# Servers\n")


@pytest.mark.parametrize(
    ("date", "read"),
    [
        ("25/11/2026 20:00", "2026-11-25T20:00:00+00:00"),
        ("25.11.2026, 08:05:09", "2026-11-25T08:05:09+00:00"),
        ("25 November 2026 8:05 pm", "2026-11-25T20:05:00+00:00"),
        ("Wed 25/11/2026 12.05 a.m.", "2026-11-25T00:05:00+00:00"),
        ("25 Nov 2026 20:00:00 +0200", "2026-11-25T18:00:00+00:00"),
        ("25/11/2026 25:00", None),
        ("25/11/2026 08:00 +02:00", None),
    ],
)
def test_a_date_keeps_its_time_of_day(date: str, read: str | None) -> None:
    moment = parse_date(date)

    assert (moment and moment.isoformat()) == read


DAYS = "25 March 2025|25.03.2025|March 25, 2025|Tue 25 Mar 2025|2025-03-25 10:30|03-25-2025"


@pytest.mark.parametrize("date", DAYS.split("|"))
def test_a_date_is_read_in_front_matter_names_and_rows_alike(tmp_path: Path, date: str) -> None:
    (tmp_path / "front.md").write_text(f"---\ndate: {date}\n---\nTea.")
    (tmp_path / f"{date} name.txt").write_text("Milk.")
    (tmp_path / "rows.jsonl").write_text(f'{{"id": "a", "text": "Oat.", "date": "{date}"}}\n')

    assert [one.created_at.date() for one in memories(tmp_path)] == 3 * [
        datetime(2025, 3, 25).date()
    ]
    assert reasons(tmp_path) == []


@pytest.mark.parametrize(
    ("date", "why"),
    [
        ("some day", "cannot be read"),
        ("31/02/2025", "cannot be read"),
        ("12/03/2025", "leaves open which number is the day (2026-11-03 would not)"),
    ],
)
def test_a_date_in_front_matter_that_cannot_be_read_is_named(
    tmp_path: Path, date: str, why: str
) -> None:
    (tmp_path / "front.md").write_text(f"---\ndate: {date}\n---\nTea.")

    assert len(memories(tmp_path)) == 1
    assert reasons(tmp_path) == [f"its date {date!r} {why}; the file's date is used instead"]


def test_a_chat_with_days_alone_decides_their_order_together(tmp_path: Path) -> None:
    (tmp_path / "chat.txt").write_text("[03/01/2026] Ana: Hi.\n[13/01/2026] Ben: Hello.\n")

    assert [one.created_at.day for one in memories(tmp_path)] == [3, 13]


def test_a_file_name_that_is_a_date_alone_is_no_title(tmp_path: Path) -> None:
    for name in ("2025-02-08", "2025-02-09 walk"):
        (tmp_path / f"{name}.md").write_text("The brakes squeal.")

    journal, walk = memories(tmp_path)

    assert (journal.title, journal.created_at) == ("", datetime(2025, 2, 8, tzinfo=UTC))
    assert walk.title == "2025-02-09 walk"


@pytest.mark.parametrize(
    ("name", "speakers", "last", "day"),
    [
        ("roles.txt", ["user", "assistant", "user"], "Thanks!", None),
        ("stamped.txt", ["Anna", "Ben", "Anna"], "Fine.", datetime(2024, 5, 1, 10, tzinfo=UTC)),
        (
            "clock 2024-03-09.txt",
            ["Anna", "Ben"],
            "Yes, book two beds.",
            datetime(2024, 3, 9, tzinfo=UTC),
        ),
        (
            "whatsapp.txt",
            ["Anna", "Ben Müller", "Anna"],
            "<Media omitted>",
            datetime(2023, 12, 31, 22, 16, tzinfo=UTC),
        ),
    ],
)
def test_transcripts_tell_who_spoke(
    samples: Path, name: str, speakers: list[str], last: str, day: datetime | None
) -> None:
    (memory,) = memories(samples / "transcripts" / name)
    assert [message.role for message in memory.messages] == speakers
    assert memory.messages[-1].content == last
    assert memory.source == "conversation"
    assert day is None or memory.created_at == day


@pytest.mark.parametrize(
    ("lines", "day"),
    [
        ("2026-11-02 19:03 Ana: are we on?|2026-11-02 19:05 Ben: Yes: at 8", (2026, 11, 2, 19, 3)),
        ("2026-11-02 19:03:59 Ana: are we on?|2026-11-02 19:05:01 Ben: Yes: at 8", (2026, 11, 2)),
        ("2026-11-02T19:03:00Z Ana: are we on?|2026-11-02T19:05:00Z Ben: Yes: at 8", (2026, 11, 2)),
        (
            "2026-11-02T19:03:00+02:00 Ana: are we on?|2026-11-02T19:05:00+02:00 Ben: Yes: at 8",
            (2026, 11, 2, 17, 3),
        ),
        ("19:03 Ana: are we on?|19:05 Ben: Yes: at 8|19:06 Ana: ok", ()),
        ("Ana: are we on?|Ben: Yes: at 8|or nine|Ana: ok|Ben: fine", ()),
        ("<Ana> are we on?|<Ben> Yes: at 8|<Ana> ok|<Ben> fine", ()),
    ],
)
def test_usual_chat_lines_tell_who_spoke_and_when(
    tmp_path: Path, lines: str, day: tuple[int, ...]
) -> None:
    (tmp_path / "chat.txt").write_text(lines.replace("|", "\n"))
    (memory,) = memories(tmp_path / "chat.txt")
    assert memory.source == "conversation"
    assert memory.messages[0] == Message("Ana", "are we on?")
    assert memory.messages[1].role == "Ben"
    assert memory.messages[1].content.startswith("Yes: at 8")
    assert memory.created_at.timetuple()[: len(day)] == day


@pytest.mark.parametrize(
    "lines",
    [
        "Ingredients: flour, water|Serves: 4|Method: mix|Note: rest it|Note: and again",
        "Call the bank.|Ana: maybe|Buy milk.|Ben: no|And eggs.|Ana: yes|Bread.|Ben: no|Tea.",
        "10:00 Lunch: soup|11:00 Talk: notes|12:00 Walk: dog",
        "<b> bold|<i> italic",
    ],
)
def test_a_note_with_headings_stays_a_note_unless_told_otherwise(
    tmp_path: Path, lines: str
) -> None:
    (tmp_path / "note.txt").write_text(lines.replace("|", "\n"))
    (note,) = memories(tmp_path / "note.txt")
    assert (note.source, note.messages[0].content) == ("note", lines.replace("|", "\n"))
    (told,) = memories(tmp_path / "note.txt", given="transcript")
    assert told.source == "conversation"


def test_a_chat_of_several_days_is_a_memory_for_each_conversation(tmp_path: Path) -> None:
    (tmp_path / "Anna.txt").write_text(
        "[03/01/2026, 08:59:00] Messages are encrypted.\n"
        "[03/01/2026, 09:00:00] Anna: The train is at nine.\n[03/01/2026, 14:30:00] Me: Thanks!\n"
        "[13/01/2026, 23:50:00] Anna: The boiler is broken,\nagain.\n"
        "[14/01/2026, 00:10:00] Me: I'll call.\n[14/01/2026, 07:00:00] Anna: And?\n"
    )

    train, boiler, later = memories(tmp_path)

    assert [one.memory_id for one in (train, boiler, later)] == [
        "Anna.txt#2026-01-03",
        "Anna.txt#2026-01-13",
        "Anna.txt#2026-01-14",
    ]
    assert train.created_at == datetime(2026, 1, 3, 9, tzinfo=UTC)
    assert train.title == boiler.title == ""  # so their first words name them, not the file's
    said = [one.content for one in boiler.messages]
    assert said == ["The boiler is broken,\nagain.", "I'll call."]
    assert train.source == later.source == "conversation"


def test_each_day_of_a_plain_journal_is_a_memory(tmp_path: Path) -> None:
    (tmp_path / "diary.txt").write_text(
        "Private!\n\nMonday, 2 March 2026, 21:30\n"
        "The market, with Bob.\n\nRent from 1 April 2026.\n"
        "2026-03-04\nSlept.\n4.3.2026\nA walk.\n"
    )

    front, market, slept, walk = memories(tmp_path)

    assert (front.memory_id, market.memory_id) == ("diary.txt", "diary.txt#2026-03-02")
    assert (slept.memory_id, walk.memory_id) == (
        "diary.txt#2026-03-04",
        "diary.txt#2026-03-04-2",
    )
    assert market.created_at == datetime(2026, 3, 2, tzinfo=UTC)
    assert market.text == (
        "Monday, 2 March 2026, 21:30\nThe market, with Bob.\n\nRent from 1 April 2026."
    )
    assert market.source == "note"


@pytest.mark.parametrize(
    ("days", "read_as"),
    [
        (["03/11/2026", "25/11/2026"], ["2026-11-03", "2026-11-25"]),
        (["11/03/2026", "11/25/2026"], ["2026-11-03", "2026-11-25"]),
        (["03-11-2026", "25-11-2026"], ["2026-11-03", "2026-11-25"]),
    ],
)
@pytest.mark.parametrize(("name", "mark"), [("a.txt", ""), ("b.md", "## ")])
def test_the_file_decides_whether_its_days_or_months_come_first(
    tmp_path: Path, days: list[str], read_as: list[str], name: str, mark: str
) -> None:
    (tmp_path / name).write_text("".join(f"{mark}{day}\nIt rained.\n" for day in days))

    assert [f"{one.created_at:%Y-%m-%d}" for one in memories(tmp_path)] == read_as


@pytest.mark.parametrize("days", [["3.11.26", "Wed 4.11.26"], ["3/11/26:", "25/11/26"]])
def test_a_year_of_two_digits_is_read_in_a_diary(tmp_path: Path, days: list[str]) -> None:
    (tmp_path / "a.txt").write_text("".join(f"{day}\nIt rained.\n" for day in days))

    first, second = (one.created_at for one in memories(tmp_path))

    assert first == datetime(2026, 11, 3, tzinfo=UTC) < second
    (reason,) = reasons(tmp_path)
    assert f"such as {days[0]!r} were read as dates (2026-11-03)" in reason


def test_versions_that_become_dates_are_named_as_they_are_written(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("2.1.10\nFixed.\n2.2.10\nMore.\n2.3.10\nAll.\n")
    (tmp_path / "b.txt").write_text("v2.1.10\nFixed.\nv2.2.10\nMore.\nv2.3.10\nAll.\n")
    (tmp_path / "c.log").write_text("12-10-20\nSquats.\n10-10-20\nBench.\n")

    assert [one.memory_id.partition("#")[0] for one in memories(tmp_path)] == [
        *(3 * ["a.txt"]),
        "b.txt",
        *(2 * ["c.log"]),
    ]
    versions, weights = reasons(tmp_path)
    assert "its lines such as '2.1.10' were read as dates (2010-01-02)" in versions
    assert "such as '12-10-20', leave open which number is the day" in weights
    assert "'12-10-20' were read as dates (2020-10-12)" in weights


@pytest.mark.parametrize(("name", "mark"), [("a.txt", ""), ("b.md", "## ")])
def test_days_come_first_if_nothing_decides_and_the_ledger_says_so(
    tmp_path: Path, name: str, mark: str
) -> None:
    (tmp_path / name).write_text(f"{mark}03/11/2026\nRain.\n{mark}04/11/2026\nSun.\n")

    assert [one.created_at.day for one in memories(tmp_path)] == [3, 4]
    (reason,) = reasons(tmp_path)
    assert "such as '03/11/2026', leave open which number is the day" in reason


def test_a_text_that_begins_with_a_date_is_of_that_day(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\n3 November 2026\nDear Ana,\nwe moved.\n")

    (letter,) = memories(tmp_path)

    assert (letter.memory_id, letter.title) == ("a.txt", "a")
    assert letter.created_at == datetime(2026, 11, 3, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-02 LD quiet\n2026-11-03 walked\n2026-11-04 rain\n",
        "03/11/2026: went home\nand slept\n04/11/2026: rain\n25/11/2026: sun",
        "Spent:\n3.11.26 bread 2.10\n4.11.26 milk 1.10\n5.11.26 tea 3.00",
    ],
)
def test_a_text_of_dated_lines_is_one_memory_and_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.txt").write_text(text)
    (tmp_path / "a.log").write_text(text)  # nobody's diary

    assert [one.text for one in memories(tmp_path)] == 2 * [text.strip()]
    (reason,) = reasons(tmp_path)
    assert "put each date on a line of its own" in reason


@pytest.mark.parametrize(
    "text",
    [
        "1.2.10\n- mended\n1.2.11\n- more\n1.2.12\n- most",
        "3.2.10\n- mended\n4.1.13\n- more",
        "Vaccinated against TBE\n1.3.2019\n5.4.2022",
        "2026-03-01\n2026-03-02\n2026-03-03",
        "Dentist:\n- 2025-03-01\n- 2025-09-01\nCar service:\n- 2025-05-01\nsoon",
        "2025-03-01 - 2025-03-05\nRome\n2025-05-01 - 2025-05-03\nBonn",
    ],
)
def test_dates_alone_make_no_journal_and_nothing_is_lost(tmp_path: Path, text: str) -> None:
    (tmp_path / "dates.txt").write_text(text)

    (note,) = memories(tmp_path)

    assert note.text == text


def test_a_file_said_to_be_a_transcript_in_which_nobody_speaks_is_named(samples: Path) -> None:
    path = samples / "transcripts" / "thoughts.txt"
    assert reasons(path, given="transcript") == [
        "no two lines of it begin with a speaker or a time; it was read as a note"
    ]
    assert reasons(path) == []


def test_a_scenario_is_read_as_it_stands(samples: Path) -> None:
    found = memories(samples / "scenario")
    assert [memory.memory_id for memory in found] == ["02ca69e6", "m-001", "ep-001"]
    assert [memory.source for memory in found] == ["conversation", "note", "episode"]
    assert found[1].title == "servers.md"


def test_rows_of_any_making_are_read_and_broken_ones_are_named(samples: Path) -> None:
    lease, dentist, bare, chat = memories(samples / "rows" / "mixed.jsonl")
    assert (lease.memory_id, lease.title) == ("u-1", "Lease")
    assert lease.created_at == datetime(2024, 5, 1, 10, tzinfo=UTC)
    assert (dentist.memory_id, dentist.created_at.hour) == ("7", 8)
    assert bare.memory_id.startswith("row-")
    assert bare.created_at == datetime(2024, 5, 1, 10, 0, 0, 123000, tzinfo=UTC)
    assert [message.content for message in chat.messages] == [
        "What is in the picture?\n\n[image]",
        "A heron.",
    ]
    skipped = [e for e in entries(samples / "rows" / "mixed.jsonl") if isinstance(e, Skipped)]
    assert [entry.item.rpartition("/")[2] for entry in skipped] == [
        "mixed.jsonl line 3",
        "mixed.jsonl line 6",
        "mixed.jsonl line 7",
    ]


def test_a_bare_list_of_messages_is_one_conversation(samples: Path) -> None:
    (chat,) = memories(samples / "rows" / "chat.json")
    assert (chat.memory_id, chat.title) == ("chat.json", "chat")
    assert [message.role for message in chat.messages] == ["user", "assistant"]


def test_every_sample_is_recognised_and_reads_the_same_twice(samples: Path) -> None:
    first, second = memories(samples), memories(samples)
    assert first == second
    assert [m.content_hash for m in first] == [m.content_hash for m in second]
    assert len(first) == 20


ROW = '{"id": "a", "title": "Ana", "source": "note", "created_at": "2026-01-02", "messages": %s}\n'
SAID = '[{"role": "user", "content": "Ana swells up after walnuts"}]'
CUES = (
    '{"id": "a", "cues": ["bake for  Ana", 7], "broad": ["plan a dinner"], "role": "health limit", '
    '"replaces": ["old"]}\nbroken\n'
)


@pytest.mark.parametrize("packed", [False, True])
def test_a_scenario_takes_the_cues_that_stand_beside_it(tmp_path: Path, packed: bool) -> None:
    folder = tmp_path / "mara"
    folder.mkdir()
    (folder / "conversations.jsonl").write_text(ROW % SAID)
    (folder / "cues.jsonl").write_text(CUES)
    if packed:
        shutil.make_archive(str(folder), "zip", tmp_path, "mara")
        folder = tmp_path / "mara.zip"

    (ana,) = memories(folder)

    assert (ana.cues, ana.broad_cues) == (("bake for Ana",), ("plan a dinner",))
    assert (ana.role, ana.replaces) == ("health limit", ("old",))
    skipped = [entry for entry in entries(folder) if isinstance(entry, Skipped)]
    assert [one.reason for one in skipped] == [
        "broken JSON: Expecting value at column 1",
        "cues: only texts in a list are stored",
        "read as the cues of conversations.jsonl beside it",
    ]
    assert not any(one.may_hide_memories for one in skipped)


def test_rows_may_bring_their_own_cues(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(
        '{"id": "a", "text": "Ana swells up", "cues": ["bake for Ana"], "broad": ["plan a dinner"],'
        ' "role": "health limit", "replaces": ["old"]}\n{"id": "b", "text": "Rain", "cues": "no",'
        ' "replaces": [1], "role": 2}\n'
    )
    reasons = [one.reason for one in entries(tmp_path) if isinstance(one, Skipped)]
    assert reasons == [
        "cues: only texts in a list are stored",
        "replaces: only texts in a list are stored",
    ]
    ana, rain = memories(tmp_path / "rows.jsonl")
    assert (ana.cues, ana.broad_cues) == (("bake for Ana",), ("plan a dinner",))
    assert (ana.role, ana.replaces) == ("health limit", ("old",))
    assert (rain.cues, rain.role) == ((), "")

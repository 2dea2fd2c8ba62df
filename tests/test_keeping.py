"""Single memories are remembered, corrected, deprecated, restored and forgotten, with history."""

import gzip
import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.fakes import note, on
from tests.store_files import files_with
from tests.vector_files import files_with_vector

from secondhop.errors import SessionAbandonedError, UsageError
from secondhop.ingest.ledger import NothingIngestedError
from secondhop.memories.records import Fact, Preference
from secondhop.recall import Recall
from secondhop.sessions.document import names_one

pytestmark = pytest.mark.usefixtures("library_of_tests")

SECRET = "Zebraquartz opens the safe behind the Kandinsky"


def employer(name: str) -> Fact:
    return Fact(subject="me", attribute="employer", value=name)


@pytest.fixture
def recall(empty: Recall) -> Recall:
    return empty


async def values(recall: Recall, *, as_of: datetime | None = None) -> list[str]:
    return [fact.value for fact in await recall.memories.afacts("me", "employer", as_of=as_of)]


async def test_a_new_value_of_a_fact_supersedes_the_old_one_and_history_is_kept(
    recall: Recall,
) -> None:
    old = await recall.memories.aremember(employer("Acme"), at=on(1))
    new = await recall.memories.aremember(
        Fact(subject="Me ", attribute="EMPLOYER", value="Zeta"), at=on(3)
    )

    assert new.supersedes == [old.memory_id]
    assert await values(recall) == ["Zeta"]
    assert await values(recall, as_of=on(2)) == ["Acme"]
    story = await recall.memories.ahistory(old.memory_id)
    assert [(one.memory_id, one.end) for one in story.versions] == [
        (old.memory_id, f"superseded by {new.memory_id} on 2026-03-01"),
        (new.memory_id, ""),
    ]
    assert "superseded" in [event.act for event in story.events]


async def test_a_date_in_the_future_is_said_and_so_is_that_a_new_value_is_not_the_current_one(
    recall: Recall,
) -> None:
    now = datetime.now(UTC)
    wrong = await recall.memories.aremember(employer("Acme"), at=now + timedelta(days=400))
    zone = await recall.memories.aremember("The bins go out", at=now + timedelta(hours=14))
    late = await recall.memories.aremember(employer("Zeta"))
    doctor = await recall.admin.adoctor()

    assert f"{wrong.memory_id} is dated in the future" in wrong.notice
    assert (wrong.done, zone.notice) == ("remembered", "")
    assert (late.done, late.superseded_by) == ("superseded", wrong.memory_id)
    assert f"it is an earlier value: that of {wrong.memory_id}" in late.notice
    (found,) = doctor.findings
    assert (found.check, wrong.memory_id in found.examples[0]) == ("dates", True)


async def test_superseding_another_fact_is_done_with_a_warning(recall: Recall) -> None:
    budget = Fact(subject="me", attribute="budget", value="900")
    old = await recall.memories.aremember(budget)
    age = await recall.memories.aremember(Fact(subject="Ana", attribute="age", value="7"))

    kept = await recall.memories.asupersede(old.memory_id, age.memory_id)
    named = await recall.memories.aremember(employer("Acme"), supersedes=[age.memory_id])
    same = await recall.memories.aremember(employer("Zeta"))

    assert "me: budget" in kept.notice
    assert "Ana: age" in kept.notice
    assert "Ana: age" in named.notice
    assert same.notice == ""


async def test_the_notice_says_that_the_new_memory_has_ended_itself(recall: Recall) -> None:
    first, second, third = [
        (await recall.memories.aremember(text)).memory_id for text in ("one", "two", "three")
    ]
    await recall.memories.asupersede(second, third)

    kept = await recall.memories.asupersede(first, second)

    assert f"{second} no longer holds itself: superseded by {third}" in kept.notice


async def test_a_newer_preference_of_a_topic_replaces_the_older(recall: Recall) -> None:
    short = await recall.memories.aremember(Preference(text="Keep answers short", topic="length"))
    code = await recall.memories.aremember(
        Preference(text="Prefer TypeScript", scope="writing code")
    )
    long = await recall.memories.aremember(Preference(text="Explain at length", topic="length"))

    assert long.supersedes == [short.memory_id]
    assert code.supersedes == []


async def test_an_update_is_a_new_memory_in_the_place_of_the_old(recall: Recall) -> None:
    old = await recall.memories.aremember("We live in Bonn, by the river", title="Home")
    new = await recall.memories.aupdate(old.memory_id, "We live in Trier")
    fact = await recall.memories.aremember(employer("Acme"), at=on(1))
    await recall.memories.aupdate(fact.memory_id, "Zeta", at=on(2))

    assert new.supersedes == [old.memory_id]
    assert (await recall.memories.aget(new.memory_id)).title == "Home"
    assert await values(recall) == ["Zeta"]
    with pytest.raises(UsageError, match="was superseded by"):
        await recall.memories.aupdate(old.memory_id, "We live in Ulm")


async def test_a_memory_called_by_its_words_is_called_by_its_new_words(recall: Recall) -> None:
    old = await recall.memories.aremember("The key is with Ines.")
    new = await recall.memories.aupdate(old.memory_id, "The key is with Noor.")

    assert (await recall.memories.aget(new.memory_id)).title == "The key is with Noor."


async def test_expiry_and_salience_change_without_a_new_memory(recall: Recall) -> None:
    kept = await recall.memories.aremember("The bridge is closed", salience=0.2)
    changed = await recall.memories.aupdate(kept.memory_id, valid_until=on(4), salience=0.9)

    (version,) = (await recall.memories.ahistory(kept.memory_id)).versions
    assert changed.done == "changed"
    assert (version.valid_until, version.salience) == (on(4), 0.9)
    assert (await recall.memories.aupdate(kept.memory_id, salience=0.9)).done == "unchanged"
    with pytest.raises(UsageError, match=r"0\.\.1"):
        await recall.memories.aupdate(kept.memory_id, salience=1.5)


async def test_what_ended_can_be_restored(recall: Recall) -> None:
    await recall.aadd([note("old", "Bring cash to the market"), note("new", "Cards work", day=9)])
    await recall.memories.asupersede("old", "new", reason="new till")
    await recall.memories.adeprecate("new", "closed", at=on(5))
    ends = [(await recall.memories.ahistory(i)).versions for i in ("old", "new")]
    assert [v.end for v in ends[0]] == [
        "superseded by new on 2026-01-09",
        "deprecated on 2026-05-01: closed",
    ]

    restored = [await recall.memories.arestore(i) for i in ("old", "new", "new")]

    assert [kept.done for kept in restored] == ["restored", "restored", "unchanged"]
    assert [v.end for v in (await recall.memories.ahistory("old")).versions] == [""]


async def test_memories_are_listed_page_by_page_and_got_one_by_one(recall: Recall) -> None:
    await recall.aadd([note(i, f"About {i}", day=day) for day, i in enumerate("abc", start=1)])
    await recall.memories.asupersede("a", "b")

    first = await recall.memories.alist(limit=2)
    rest = await recall.memories.alist(after=first[-1].memory_id)

    assert [(one.memory_id, one.end) for one in [*first, *rest]] == [
        ("a", "superseded by b on 2026-01-02"),
        ("b", ""),
        ("c", ""),
    ]
    assert (await recall.memories.aget("b")).text == "About b"
    with pytest.raises(UsageError, match="no memory 'd'"):
        await recall.memories.aget("d")


async def test_supersession_never_goes_in_a_circle(recall: Recall) -> None:
    await recall.aadd([note(i, f"About {i}", day=day) for day, i in enumerate("abc", start=1)])
    await recall.memories.asupersede("a", "b")
    await recall.memories.asupersede("b", "c")

    with pytest.raises(UsageError, match="restore it first"):
        await recall.memories.asupersede("c", "a")
    with pytest.raises(UsageError, match="cannot replace itself"):
        await recall.memories.asupersede("c", "c")
    with pytest.raises(UsageError, match="superseded by 'b' already"):
        await recall.memories.asupersede("a", "c")
    assert (await recall.memories.asupersede("a", "b")).done == "unchanged"


async def test_what_a_forgotten_memory_superseded_stays_superseded(recall: Recall) -> None:
    await recall.aadd([note(i, f"About {i}", day=day) for day, i in enumerate("abc", start=1)])
    await recall.memories.asupersede("a", "b")
    await recall.memories.asupersede("b", "c")

    await recall.memories.aforget("b")
    assert [v.end for v in (await recall.memories.ahistory("a")).versions] == [
        "superseded by c on 2026-01-02",
        "",
    ]
    await recall.memories.aforget("c")
    (version,) = (await recall.memories.ahistory("a")).versions
    assert version.end == "superseded on 2026-01-02 by a memory that has since been deleted"


async def test_unknown_ids_and_empty_texts_are_refused(recall: Recall) -> None:
    await recall.aadd([note("a", "About a")])
    for doing in (
        recall.memories.aupdate("no", "text"),
        recall.memories.asupersede("a", "no"),
        recall.memories.adeprecate("no", "why"),
        recall.memories.arestore("no"),
        recall.memories.aforget("a", "no"),
        recall.memories.ahistory("no"),
        recall.memories.aremember("text", supersedes=["no"]),
    ):
        with pytest.raises(UsageError, match="no memory 'no'"):
            await doing
    for nothing in (" \n", "\u200b\u200b", "\ufeff \u2060\u00ad"):
        with pytest.raises(UsageError, match="nothing to remember"):
            await recall.memories.aremember(nothing)
        with pytest.raises(UsageError, match="the value of a fact is empty"):
            await recall.memories.aremember(employer(nothing))
        with pytest.raises(NothingIngestedError, match="empty: no message with text"):
            await recall.aadd([note("b", nothing)])
    with pytest.raises(UsageError, match="says something else already"):
        await recall.memories.aremember("another text", memory_id="a")
    assert (await recall.memories.acounts()).memories == 1


async def test_nothing_of_a_forgotten_memory_is_left_in_any_file(
    recall: Recall, tmp_path: Path
) -> None:
    await recall.aadd([note(f"n{n}", f"Ordinary thoughts about topic {n}") for n in range(30)])
    kept = await recall.memories.aremember(SECRET, salience=0.8)
    await recall.memories.adeprecate(kept.memory_id, "moved")
    await recall.memories.arestore(kept.memory_id)
    said = [await recall.arecall(question) for question in ("Which Zebraquartz?", "What opens it?")]
    assert kept.memory_id in said[0].ids()
    assert files_with(b"zebraquartz", tmp_path)
    passages = [
        i
        for i in await recall.admin.store.passage_vectors.index.ids()
        if i.startswith(kept.memory_id)
    ]
    (vector,) = (await recall.admin.store.passage_vectors.index.fetch(passages)).values()
    assert files_with_vector(vector, tmp_path)

    gone = await recall.memories.aforget(kept.memory_id)

    assert (gone.complete, gone.vectors_complete, gone.passages) == (True, True, 1)
    assert files_with_vector(vector, tmp_path) == []
    assert gone.traces >= 1
    assert files_with(b"zebraquartz", tmp_path) == []
    assert files_with(b"kandinsky", tmp_path) == []
    assert kept.memory_id not in (await recall.arecall("Which Zebraquartz?")).ids()


async def test_a_reason_that_quotes_a_forgotten_memory_goes_with_it(
    recall: Recall, tmp_path: Path
) -> None:
    await recall.aadd([note(i, f"Ordinary thoughts about {i}") for i in ("a", "b", "c")])
    kept = await recall.memories.aremember(f"{SECRET}: 48151")
    await recall.memories.adeprecate("a", "no: Zebraquartz opens the safe now")
    await recall.memories.adeprecate("b", "the code is 48151")
    await recall.memories.adeprecate("c", "we bought another safe")

    await recall.memories.aforget(kept.memory_id)

    assert files_with(b"zebraquartz", tmp_path) == []
    assert files_with(b"48151", tmp_path) == []
    ends = [(await recall.memories.aget(i)).end.partition(": ")[2] for i in ("a", "b", "c")]
    assert ends == ["", "", "we bought another safe"]


async def test_a_reason_goes_with_the_memory_that_took_the_place(recall: Recall) -> None:
    await recall.aadd([note("old", "The key is here"), note("new", "It is there", day=2)])
    await recall.memories.asupersede("old", "new", reason="seen by the gate")
    await recall.memories.aforget("new")

    assert "seen by the gate" not in str(await recall.memories.ahistory("old"))


def words_of_sessions(folder: Path) -> bytes:
    """The documents of all open sessions as one text."""
    (path,) = folder.rglob("sessions.db")
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as file:
        documents = file.execute("SELECT document FROM open_sessions WHERE document <> x''")
        return b"".join(zlib.decompress(document) for (document,) in documents)


def documents_with(memory_id: str, folder: Path) -> int:
    """How many open sessions name the memory."""
    (path,) = folder.rglob("sessions.db")
    with closing(sqlite3.connect(path)) as file:
        documents = [row[0] for row in file.execute("SELECT document FROM open_sessions")]
    return sum(names_one(document, [memory_id]) for document in documents if document)


async def test_nothing_of_a_forgotten_memory_is_left_in_open_sessions(
    recall: Recall, tmp_path: Path
) -> None:
    await recall.aadd([note(f"n{n}", f"Ordinary thoughts about topic {n}") for n in range(30)])
    kept = await recall.memories.aremember(SECRET, memory_id="zebra-7")
    knowing = await recall.sessions.astart("What opens the safe behind the Kandinsky?")
    assert kept.memory_id in knowing.ids()
    await recall.sessions.avote(knowing.session_id, {kept.memory_id: "warm"})
    await recall.sessions.avote(knowing.session_id, {kept.memory_id: "hot"}, go_on=False)
    sparked = await recall.sessions.astart("What opens the safe behind the Kandinsky?")
    await recall.sessions.avote(sparked.session_id, {kept.memory_id: "spark"})
    ended = await recall.sessions.astart("Who opens the safe?")
    await recall.sessions.aresolve(ended.session_id, accepted=[kept.memory_id], note="used")
    assert documents_with(kept.memory_id, tmp_path) == 2

    await recall.memories.aforget(kept.memory_id)

    assert documents_with(kept.memory_id, tmp_path) == 0
    for words in (kept.memory_id.encode(), b"zebraquartz"):
        assert words not in words_of_sessions(tmp_path)
    for session in (knowing, sparked):
        with pytest.raises(SessionAbandonedError):
            await recall.sessions.avote(session.session_id, {kept.memory_id: "hot"})


async def test_what_a_session_counts_while_a_memory_goes_is_forgotten_too(recall: Recall) -> None:
    await recall.aadd([note("a", "The boiler hums at night"), note("b", "The boiler is old")])

    answer = await recall.sessions.astart("What about the boiler?")

    class AnotherProcess:
        async def aforget(self, memory_ids: Sequence[str]) -> None:
            resolved = await recall.sessions.aresolve(answer.session_id, accepted=memory_ids)
            assert resolved.learned.updated

    recall.memories.forgetting.insert(0, AnotherProcess())
    await recall.memories.aforget("a")

    assert (await recall.admin.adoctor()).findings == []


def traces_with(word: bytes, folder: Path) -> list[str]:
    """File names of the traces that contain a word."""
    files = folder.rglob("*.json.gz")
    return [file.name for file in files if word in gzip.decompress(file.read_bytes())]


@pytest.mark.parametrize("when", ["before it is traced", "before the memory goes"])
async def test_no_trace_of_a_recall_that_ran_meanwhile_holds_what_was_forgotten(
    recall: Recall, tmp_path: Path, when: str
) -> None:
    class RecallsMeanwhile:
        async def aforget(self, memory_ids: Sequence[str]) -> None:
            assert (await recall.arecall("What about the boiler?")).ids()
            recall.admin.last_traces()  # waits until traces are written
            assert traces_with(b"quokka", tmp_path)

    await recall.aadd(
        [note("a", "The boiler hums", title="quokka"), note("b", "The boiler is old")]
    )
    if when == "before it is traced":
        async for event in recall.astream("What about the boiler?"):
            if event.node == "begin":
                await recall.memories.aforget("a")
    else:
        recall.memories.forgetting.append(RecallsMeanwhile())
        await recall.memories.aforget("a")
    recall.admin.last_traces()

    assert traces_with(b"quokka", tmp_path) == []


async def test_recalls_count_nothing_and_accepting_writes_to_a_file_of_its_own(
    recall: Recall, tmp_path: Path
) -> None:
    await recall.aadd([note("a", "The boiler hums at night"), note("b", "The boiler is old")])
    results = [await recall.arecall("What about the boiler?") for _ in range(3)]
    entity = next((tmp_path / "store" / "entities").iterdir())
    files = [entity / "catalog.db", *sorted((tmp_path / "store" / "chroma").rglob("*.bin"))]
    before = [path.read_bytes() for path in files]
    assert not (entity / "counters.db").exists()

    dry = await recall.memories.aaccept(results[0], ["a"], dry_run=True)
    assert not (entity / "counters.db").exists()
    done = await recall.memories.aaccept(results[0], ["a"], at=on(3))
    await recall.memories.aaccept(results[1].trace_id)

    assert (dry.counted, done.accepted) == (0, ["a"])
    counted = await recall.memories.acounters("a", "b")
    assert [(one.retrieved, one.shown, one.accepted) for one in counted.values()] == [
        (2, 2, 1),
        (2, 2, 0),
    ]
    assert [path.read_bytes() for path in files] == before
    with pytest.raises(UsageError, match="did not return nothing"):
        await recall.memories.aaccept(results[2], ["nothing"])

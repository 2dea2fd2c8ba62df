"""The folder of traces: traces are read as written, and old ones and forgotten words go."""

import gzip
import json
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.fakes import ScriptedCritic, note, votes
from tests.small_world import LIFE, QUESTION, SmallWorld, ask
from tests.store_files import content

from secondhop.errors import StoreError, UsageError
from secondhop.graph.explain import explain
from secondhop.graph.trace import RecallTrace, TraceMiss
from secondhop.graph.trace_build import TraceDraft
from secondhop.nodes.config import Config, TraceSettings
from secondhop.recall import Recall
from secondhop.stores.trace_files import TraceFilesInFolder
from secondhop.traces import TraceFolder, read_trace

VERSION_1 = Path(__file__).parent / "golden" / "trace_version_1.json"

pytestmark = pytest.mark.usefixtures("library_of_tests")


@pytest.fixture
async def trace(world: SmallWorld) -> RecallTrace:
    critic = ScriptedCritic(votes(hot=["plan"], warm=["wins"], wrong=["bread"], content=True))
    return (await ask(world.planned_services(critic=critic)))[1]


def trace_files(folder: Path) -> list[Path]:
    return list(folder.rglob("*.json.gz"))


def of_id(trace: RecallTrace, trace_id: str) -> RecallTrace:
    return trace.model_copy(update={"trace_id": trace_id})


def test_a_trace_comes_back_as_it_went(trace: RecallTrace, tmp_path: Path) -> None:
    folder = TraceFolder(tmp_path / "traces")

    name = folder.save(trace)

    assert folder.load(trace.trace_id) == trace
    assert read_trace(tmp_path / "traces" / name) == trace


async def test_a_recall_can_be_explained_at_once_and_closing_writes_its_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = TraceFolder.save

    def slowly(folder: TraceFolder, *given: RecallTrace) -> str:
        time.sleep(0.1)
        return save(folder, *given)

    monkeypatch.setattr(TraceFolder, "save", slowly)
    async with await Recall.aopen(tmp_path / "store", embedder="hashing") as recall:
        await recall.aadd(LIFE)
        first = await recall.arecall(QUESTION)
        assert recall.trace(first.trace_id).returned == first.ids()
        last = await recall.arecall(QUESTION)
    async with await Recall.aopen(tmp_path / "store", embedder="hashing") as recall:
        assert recall.trace(last.trace_id).returned == last.ids()


async def test_no_trace_is_written_where_none_is_to_be_kept(tmp_path: Path) -> None:
    config = Config(traces=TraceSettings(max_count=0))
    async with await Recall.aopen(tmp_path, embedder="hashing", config=config) as recall:
        await recall.aadd(LIFE)
        result = await recall.arecall(QUESTION)
        with pytest.raises(UsageError, match="no trace"):
            recall.trace(result.trace_id)
    assert trace_files(tmp_path) == []


def test_the_newest_are_kept_as_many_as_old_and_as_big_as_the_settings_say(
    trace: RecallTrace, tmp_path: Path
) -> None:
    size = (tmp_path / TraceFolder(tmp_path).save(trace)).stat().st_size / 1e6
    for settings, kept in (
        (TraceSettings(max_count=3), ["t3", "t4", "t5"]),
        (TraceSettings(max_days=2.5), ["t3", "t4", "t5"]),
        (TraceSettings(max_mb=2.5 * size), ["t4", "t5"]),
    ):
        many = tmp_path / "many"
        for number in range(5):
            written_at = time.time() - (5 - number) * 86_400
            TraceFolder(many).save(of_id(trace, f"t{number}"), at_ns=int(written_at * 1e9))
        TraceFolder(many, settings=settings).save(of_id(trace, "t5"))

        assert sorted(p.name for p in many.iterdir()) == [f"{one}.json.gz" for one in kept]
        shutil.rmtree(many)


def test_an_unknown_id_names_the_newest_ones(trace: RecallTrace, tmp_path: Path) -> None:
    folder = TraceFolder(tmp_path)
    folder.save(trace)

    with pytest.raises(UsageError, match=rf"last recalls: {trace.trace_id}\)"):
        folder.load("unknown")
    with pytest.raises(UsageError, match="it has none"):
        TraceFolder(tmp_path / "another").load("unknown")


@pytest.mark.parametrize("trace_id", ["../secret", "a/b", "", "a.b", "x" * 65, "ä"])
def test_an_id_cannot_leave_the_folder(trace_id: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a trace id"):
        TraceFolder(tmp_path).load(trace_id)


@pytest.mark.parametrize(
    "text",
    [b"", b"{}", b"[1]", b'{"schema_version": 99}', b"\xff", gzip.compress(b"{}", mtime=0)[:9]],
)
def test_a_file_that_is_no_trace_is_refused(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "odd.json"
    path.write_bytes(text)

    with pytest.raises(UsageError, match="not a secondhop trace"):
        read_trace(path)


def test_traces_of_version_0_1_are_found_explained_and_masked(tmp_path: Path) -> None:
    shutil.copy(VERSION_1, tmp_path / "version-1.json")
    folder = TraceFolder(tmp_path)

    old = folder.load("version-1")
    best = old.candidates[0]
    assert explain(old, best.memory_id).returned
    (file,) = folder.naming([best.memory_id])
    folder.mask([file], [best.memory_id], texts=[best.title])

    assert folder.load("version-1").forgotten == [best.memory_id]
    assert [path.name for path in tmp_path.iterdir()] == ["version-1.json.gz"]


async def test_a_usual_recall_takes_20_kilobytes_at_most(tmp_path: Path) -> None:
    many = [
        note(f"n{n}", f"Interview: {' '.join(f'talk{n}of{word}' for word in range(9))}")
        for n in range(400)
    ]
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        await recall.aadd(many)
        result = await recall.arecall(QUESTION)
        trace = recall.trace(result.trace_id)

    (file,) = trace_files(tmp_path)
    assert file.stat().st_size <= 20_000
    assert len(trace.scores()) == len(trace.candidates) >= 56


async def test_a_memory_that_was_stored_after_the_recall_is_told_to_be_later(
    tmp_path: Path,
) -> None:
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        await recall.memories.aremember("The boat is red")
        result = await recall.arecall("What colour is the boat?")
        later = await recall.memories.aremember("Walnuts make Ana swell up")

        told = await recall.aexplain(result.trace_id, later.memory_id)

    assert "after this recall" in told.story[-1]
    assert told.nearest_change == "ask again; it may be found now"


async def test_a_trace_that_lists_a_memory_with_its_score_alone_is_left_as_it_is(
    tmp_path: Path,
) -> None:
    many = [note(f"n{day:02}", f"Boiler log {day}: the pressure was fine.") for day in range(60)]
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        await recall.aadd(many)
        found = await recall.arecall("Help me with the boiler", k=3)
        before = recall.trace(found.trace_id)
        told = {one.memory_id for one in before.candidates}
        first, scored = found.ids()[0], {hit.memory_id for hit in before.queries[0].dense}

        assert (await recall.memories.aforget(min(scored - told))).traces == 0
        assert recall.trace(found.trace_id) == before
        assert (await recall.memories.aforget(first)).traces == 1
        assert recall.trace(found.trace_id).forgotten == [first]


@pytest.mark.parametrize(
    "held",
    [
        {"candidates": [{"refused_for": "the boiler before the Kowalczyk custody"}]},
        {"candidates": [{"proved_for": "the boiler before the Kowalczyk custody"}]},
        {"queries": [{"origin": "expand", "text": "the Kowalczyk custody"}]},
        {"candidates": [{"votes": [{"by": "critic", "reason": "the custody"}]}]},
    ],
    ids=["refused for", "proved for", "a model's query", "a model's vote"],
)
def test_what_may_hold_the_words_of_a_memory_that_is_only_scored_is_named(
    held: dict[str, Any], tmp_path: Path
) -> None:
    """As an older version or another process may have written it."""
    query = {"origin": "question", "text": "the boiler", "dense": {"secret": 0.5, "n1": 0.4}}
    told = {"question": "the boiler", "planner": "playbooks", "critic": "none", "queries": [query]}
    plain = json.dumps(told, separators=(",", ":")).encode()
    more = {**told, **held, "queries": [query, *held.get("queries", [])]}
    (tmp_path / "plain.json.gz").write_bytes(gzip.compress(plain))
    (tmp_path / "more.json.gz").write_bytes(
        gzip.compress(json.dumps(more, separators=(",", ":")).encode())
    )

    assert TraceFolder(tmp_path).naming(["secret"]) == ["more.json.gz"]


def test_forgotten_words_go_from_a_trace_and_ids_ranks_and_scores_stay(
    trace: RecallTrace, tmp_path: Path
) -> None:
    folder = TraceFolder(tmp_path)
    miss = TraceMiss(memory_id="wins", reason="critique: voted cold: achieved")
    proved = {"proved_for": "Which numbers does Carefeed like?", "why": "Stored for “achieved”."}
    candidates = [one.model_copy(update=proved) for one in trace.candidates]
    told_of = {"candidates": candidates, "near_misses": [miss]}
    before = content(tmp_path / folder.save(trace.model_copy(update=told_of)))
    assert b"What I achieved" in before

    (name,) = folder.naming(["wins"])
    file = tmp_path / name
    written = file.stat().st_mtime_ns
    folder.mask([name], ["wins", "another"], texts=["What I achieved: the Carefeed turnaround"])

    after, kept = content(file), folder.load(trace.trace_id)
    assert b"achieved" not in after
    assert kept.question == QUESTION.replace("Carefeed", "(masked)")
    told = {one.memory_id: one.proved_for for one in kept.candidates}
    assert (told["wins"], told["plan"]) == ("", "Which numbers does (masked) like?")
    assert file.stat().st_mtime_ns == written
    assert [one.reason for one in kept.near_misses] == ["critique: voted cold: (masked)"]
    assert (kept.forgotten, kept.returned) == (["wins"], trace.returned)
    assert [one.score for one in kept.candidates] == [one.score for one in trace.candidates]
    assert explain(kept, "wins").story[0].startswith("It was forgotten after this recall")
    assert explain(kept, "plan").title == explain(trace, "plan").title


def test_a_trace_may_be_written_by_several_at_once(tmp_path: Path) -> None:
    files = TraceFilesInFolder(tmp_path)

    def write(turn: int) -> None:
        files.write("one.json.gz", b"%d" % turn, at_ns=turn)

    with ThreadPoolExecutor(8) as writers:
        assert list(writers.map(write, range(400))) == [None] * 400

    assert [one.name for one in files.listed()] == ["one.json.gz"]


def test_a_trace_that_cannot_be_read_goes_when_something_is_forgotten(tmp_path: Path) -> None:
    folder = TraceFolder(tmp_path)
    (tmp_path / "cut.json.gz").write_bytes(gzip.compress(b'{"candidates": "wins"}')[:-9])
    (tmp_path / "half.json.part").write_bytes(b'{"memory_id": "wins"')
    (tmp_path / "damaged.json").write_bytes(b'{"question":"\xff cashews \\q"}')

    for file in folder.naming(["wins"]):
        folder.mask([file], ["wins"], texts=[])

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("asked", "remembered"),
    [
        ("I’m allergic to “cashews”.", "I’m allergic to “cashews”."),
        ("Hello! I hate cashews. What can I cook?", "I hate cashews."),
        ("Allergic to\r\n cashews, all kinds", "Allergic to cashews, all kinds. And a cat, Tom."),
        ("cashews", "cashews"),
        ("我对cashews过敏", "我对cashews过敏"),
    ],
)
async def test_forgetting_masks_the_question_that_said_it_before_it_was_remembered(
    tmp_path: Path, asked: str, remembered: str
) -> None:
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        await recall.aadd(LIFE)
        own, other = await recall.arecall(asked), await recall.arecall(QUESTION)
        stored = await recall.memories.aremember(remembered)
        gone = await recall.memories.aforget(stored.memory_id)
        kept, untouched = recall.trace(own.trace_id), recall.trace(other.trace_id)

    assert gone.traces == 1
    assert "cashews" not in kept.model_dump_json()
    assert untouched.question == QUESTION
    assert any(step.note for step in untouched.steps)


async def test_a_sessions_question_goes_with_the_memory_whose_words_it_repeats(
    tmp_path: Path,
) -> None:
    said = f"{QUESTION}, and bring no cashews"
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        await recall.aadd(LIFE)
        async with recall.sessions.open(said, k=1) as session:
            await session.vote({session.answer.ids()[0]: "hot"}, by="person")
            await session.resolve()
        taught = await recall.admin.store.cues.proved()
        stored = await recall.memories.aremember(said)
        await recall.memories.aforget(stored.memory_id)
        left = await recall.admin.store.cues.proved()

    assert [cue.text for cue in taught] == [said]
    assert left == []


async def test_a_trace_that_cannot_be_built_is_logged_and_the_store_still_closes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(_: TraceDraft) -> bytes:
        raise KeyError("rank")

    monkeypatch.setattr(TraceDraft, "json", property(broken))
    async with await Recall.aopen(tmp_path, embedder="hashing") as recall:
        await recall.aadd(LIFE)
        found = await recall.arecall(QUESTION)
        assert found.memories

    assert "the trace of a recall could not be built" in caplog.text
    with pytest.raises(StoreError, match="closed"):
        await recall.memories.acounts()

"""`memories.cues.aannotate`: what is asked, what is stored, and what a run that ended leaves."""

import asyncio
import json
import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.annotate.cue_writer import Row, row, sheet_of, writing

from secondhop.annotate import parts
from secondhop.annotate.settings import AnnotateSettings
from secondhop.models.llm import LLMError, Usage
from secondhop.recall import Recall
from secondhop.recall_pool import RecallPool
from secondhop.stores.records import Memory
from secondhop.testing import ModelRequest, ScriptedModel, note, temporary_recall

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("library_of_tests")]

ONE_AT_A_TIME = AnnotateSettings(concurrency=1)
START = datetime(2026, 1, 1, tzinfo=UTC)
THINGS = ("Boiler", "Garden", "Bicycle", "Piano", "Roof", "Kitchen", "Cellar", "Passport")


def notes(count: int = 8) -> list[Memory]:
    return [
        note(
            f"n{day}",
            f"{THINGS[day % 8]} number {day} was looked at by the man from the town.",
            created_at=START + timedelta(days=day),
        )
        for day in range(count)
    ]


@pytest.fixture
def in_twos(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each request annotate two memories."""
    monkeypatch.setattr(parts, "BATCH_MEMORIES", 2)


async def cues_in(recall: Recall) -> dict[str, list[str]]:
    ids = list(await recall.admin.store.content_hashes())
    found = await recall.admin.store.cues.of_memories(ids)
    return {one: sorted(cue.text for cue in cues) for one, cues in sorted(found.items())}


@pytest.mark.usefixtures("in_twos")
async def test_every_memory_gets_its_cues_and_costs_nothing_again() -> None:
    model = ScriptedModel({"annotate": writing()})
    async with temporary_recall(notes(), llm=model) as recall:
        ledger = await recall.memories.cues.aannotate()
        again = await recall.memories.cues.aannotate()

        assert await cues_in(recall) == {
            f"n{day}": [
                f"take care of the {THINGS[day].lower()}",
                f"what is there to do about the {THINGS[day].lower()} on Friday?",
            ]
            for day in range(8)
        }
        cards = await recall.admin.store.cards(["n0"])
    assert (ledger.annotated, ledger.cues, ledger.broad_cues, ledger.pending) == (8, 8, 8, 0)
    assert ledger.spent.llm_calls == len(model.requests) == 4
    assert (again.annotated, again.spent.llm_calls, again.spent.cost_usd) == (0, 0, 0)
    assert cards["n0"].role == "own note"


async def test_only_new_and_changed_memories_are_read_again() -> None:
    model = ScriptedModel({"annotate": writing()})
    async with temporary_recall(notes(), llm=model) as recall:
        await recall.memories.cues.aannotate()
        model.requests.clear()
        await recall.aadd(
            [
                note("n3", "Violin lessons are on Monday.", created_at=START + timedelta(days=3)),
                note("new", "Harp lessons are on Sunday.", created_at=START + timedelta(days=30)),
            ]
        )

        ledger = await recall.memories.cues.aannotate()

        own, older = sheet_of(model.requests[0])
        found = await cues_in(recall)
    assert ledger.annotated == 2
    assert [text.split("\n")[1][:6] for text in own.values()] == ["Violin", "Harp l"]
    assert any("noted: take care of the" in text for text in older.values())
    assert found["n3"][0] == "take care of the violin"


@pytest.mark.usefixtures("in_twos")
async def test_later_batches_of_a_run_see_the_words_of_earlier_ones() -> None:
    model = ScriptedModel({"annotate": writing()})
    async with temporary_recall(notes(), llm=model) as recall:
        await recall.memories.cues.aannotate()

    shown = [sheet_of(request)[1] for request in model.requests]
    assert not any("noted:" in text for text in shown[0].values())
    for older in shown[1:]:
        assert any("noted: take care of the" in text for text in older.values())


@pytest.mark.parametrize("size", [1, 3])
async def test_an_older_memory_is_shown_and_may_be_replaced_and_no_other(
    size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "BATCH_MEMORIES", size)
    memories = [
        note("old", "Dentist Dr Moss, Elm Road 4.", created_at=START),
        note("mid", "Tyres changed at the garage.", created_at=START + timedelta(days=1)),
        note("new", "Dentist now Dr Field, Oak Road 9.", created_at=START + timedelta(days=2)),
    ]

    def answer(request: ModelRequest) -> object:
        own, older = sheet_of(request)
        shown = {**older, **own}
        by_text = {text.split("\n")[1].split(",")[0]: one for one, text in shown.items()}
        rows: list[Row] = []
        for call_id, text in own.items():
            wanted = [*by_text.values(), "m99"] if "Field" in text else [by_text.get("new", "")]
            rows.append({**row(call_id, text), "replaces": wanted})
        return {"memories": rows}

    model = ScriptedModel({"annotate": answer})
    async with temporary_recall(memories, llm=model, annotate=ONE_AT_A_TIME) as recall:
        ledger = await recall.memories.cues.aannotate()
        cards = await recall.admin.store.cards(["old", "mid", "new"])
    newer = {one: card.replaced_by for one, card in cards.items()}
    assert newer == {"old": ("new",), "mid": ("new",), "new": ()}
    assert ledger.replacing == 1


async def test_a_long_memory_is_read_whole_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "PART_TOKENS", 500)
    monkeypatch.setattr(parts, "BATCH_TOKENS", 1_000)
    lines = [f"Entry {number}: the pump of well {number} was greased." for number in range(200)]
    model = ScriptedModel({"annotate": writing()})
    async with temporary_recall([note("log", "\n".join(lines))], llm=model) as r:
        ledger = await r.memories.cues.aannotate()
        found = await cues_in(r)

    read = "\n".join(text for one in model.requests for text in sheet_of(one)[0].values())
    assert all(line in read for line in lines)
    assert len(model.requests) > 2
    assert ledger.annotated == 1
    assert len(found["log"]) == 2


async def test_what_a_reply_leaves_out_is_asked_once_more_and_then_waits() -> None:
    def deaf_to_the_roof(call_id: str, text: str) -> Row | None:
        return None if "Roof" in text else row(call_id, text)

    model = ScriptedModel({"annotate": writing(deaf_to_the_roof)})
    async with temporary_recall(notes(), llm=model) as recall:
        ledger = await recall.memories.cues.aannotate()

    assert (ledger.annotated, ledger.pending) == (7, 1)
    assert [(one.count, one.memory_ids, one.why) for one in ledger.failed] == [
        (1, ["n4"], LEFT_OUT)
    ]
    assert [len(sheet_of(one)[0]) for one in model.requests] == [8, 1]


LEFT_OUT = "scripted named none of the memories that it was shown; try a larger model"


async def test_a_batch_that_fails_is_asked_in_halves() -> None:
    def unable(request: ModelRequest) -> object:
        own, _ = sheet_of(request)
        if any("Roof" in text for text in own.values()):
            return LLMError("no", usage=Usage(calls=1, prompt_tokens=10))
        return writing()(request)

    model = ScriptedModel({"annotate": unable})
    async with temporary_recall(notes(), llm=model) as recall:
        ledger = await recall.memories.cues.aannotate()

    assert (ledger.annotated, ledger.pending, ledger.stopped) == (7, 1, "")
    assert [one.memory_ids for one in ledger.failed] == [["n4"]]


def no_server(_: ModelRequest) -> object:
    """Every request fails."""
    return LLMError("no server there")


@pytest.mark.usefixtures("in_twos")
async def test_a_model_that_is_down_ends_the_run_and_the_memories_wait() -> None:
    model = ScriptedModel({"annotate": no_server})
    async with temporary_recall(notes(30), llm=model, annotate=ONE_AT_A_TIME) as recall:
        ledger = await recall.memories.cues.aannotate()

    assert (ledger.annotated, ledger.pending) == (0, 30)
    assert "no server there" in ledger.stopped
    (failed,) = ledger.failed
    assert ("no server there" in failed.why, failed.count) == (True, len(failed.memory_ids))
    assert len(model.requests) <= 9


@pytest.mark.usefixtures("in_twos")
async def test_a_bound_on_tokens_is_never_exceeded_and_the_rest_is_done_later() -> None:
    cost = Usage(calls=1, prompt_tokens=1_000, completion_tokens=500)
    model = ScriptedModel({"annotate": writing()}, usage=cost)
    async with temporary_recall(notes(30), llm=model) as recall:
        first = await recall.memories.cues.aannotate(max_tokens=20_000)
        rest = await recall.memories.cues.aannotate()

    spent = first.spent.prompt_tokens + first.spent.completion_tokens
    assert 15_000 < spent <= 20_000
    assert "20,000 tokens" in first.stopped
    assert (first.annotated + rest.annotated, rest.pending, rest.stopped) == (30, 0, "")
    assert first.annotated == 2 * first.spent.llm_calls


async def test_costs_are_told_before_and_after(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("prices:\n  scripted: {input: 1.0, output: 10.0}\n")
    model = ScriptedModel({"annotate": writing()})
    async with temporary_recall(notes(), llm=model, prices=prices) as recall:
        before = await recall.memories.cues.aannotate(dry_run=True)
        assert not model.requests
        after = await recall.memories.cues.aannotate(max_usd=1.0)

    estimate = before.estimate
    assert estimate is not None
    assert (estimate.memories, estimate.requests, before.pending) == (8, 1, 8)
    assert 0.001 < (estimate.cost_usd or 0) < 0.02
    assert after.spent.cost_usd == pytest.approx(0.001 + 0.001)
    assert all(json.dumps(one.to_dict()) for one in (before, after))


async def test_an_ingest_annotates_unless_it_is_told_not_to(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Boiler serviced in May.")
    model = ScriptedModel({"annotate": writing()})
    async with temporary_recall(llm=model) as recall:
        without = await recall.aingest(tmp_path, annotate=False)
        assert (without.annotation, model.requests) == (None, [])
        ledger = await recall.aingest(tmp_path)

    assert ledger.annotation is not None
    assert (ledger.unchanged, ledger.annotation.annotated) == (1, 1)


async def test_what_the_host_wrote_is_not_annotated() -> None:
    own = Memory(
        memory_id="h",
        title="Host",
        source="note",
        created_at=START,
        messages=notes(1)[0].messages,
        cues=("who looks after the boiler this winter?",),
    )
    model = ScriptedModel({"annotate": writing()})
    async with temporary_recall([own], llm=model) as recall:
        assert (await recall.memories.cues.aannotate()).annotated == 0
    assert not model.requests


# --- in the background ---


async def until(done: Sequence[object], count: int) -> None:
    async with asyncio.timeout(10):
        while len(done) < count:  # noqa: ASYNC110 - the script has no event to wait for
            await asyncio.sleep(0.01)


async def test_what_is_remembered_is_annotated_by_itself_when_it_is_quiet() -> None:
    model = ScriptedModel({"annotate": writing()})
    quick = AnnotateSettings(quiet_seconds=0.05)
    async with temporary_recall(llm=model, annotate=quick) as recall:
        await recall.memories.aremember("Boiler man comes on Friday.", memory_id="b")
        await until(model.requests, 1)
        ledger = await recall.memories.cues.aannotate()  # waits for the run in the background
        assert ledger.annotated == 0
        assert list(await cues_in(recall)) == ["b"]
        await recall.memories.aremember("Roof leaks again.", memory_id="r")
        await until(model.requests, 2)


class BrokenOnceModel(ScriptedModel):
    """Waits for a second memory in its first request, and then fails in a way of its own."""

    asked, goes_on = False, asyncio.Event()

    async def complete(self, *args: Any, **bounds: Any) -> Any:
        if not self.asked:
            self.asked = True
            await self.goes_on.wait()
            raise RuntimeError("no such thing")
        return await super().complete(*args, **bounds)


async def test_what_is_written_during_a_run_that_fails_is_annotated_all_the_same() -> None:
    model = BrokenOnceModel({"annotate": writing()})
    quick = AnnotateSettings(quiet_seconds=0.05)
    async with temporary_recall(llm=model, annotate=quick) as recall:
        await recall.memories.aremember("Boiler man comes on Friday.", memory_id="b")
        async with asyncio.timeout(10):
            while not model.asked:  # noqa: ASYNC110 - the script has no event to wait for
                await asyncio.sleep(0.01)
        await recall.memories.aremember("Roof leaks again.", memory_id="r")
        model.goes_on.set()
        await until(model.requests, 1)


async def test_a_sync_call_beside_a_run_of_the_loop_waits_for_it(tmp_path: Path) -> None:
    """A sync call runs in an event loop of its own."""
    answering, goes_on = threading.Event(), threading.Event()

    class WaitingModel(ScriptedModel):
        async def complete(self, *args: Any, **bounds: Any) -> Any:
            answering.set()
            await asyncio.to_thread(goes_on.wait, 5)
            return await super().complete(*args, **bounds)

    model = WaitingModel({"annotate": writing()})
    quick = AnnotateSettings(quiet_seconds=0.01)
    async with await Recall.aopen(
        tmp_path, llm=model, embedder="hashing", annotate=quick
    ) as recall:
        await recall.memories.aremember("Boiler man comes on Friday.", memory_id="b")
        assert await asyncio.to_thread(answering.wait, 5)
        ledger = asyncio.create_task(asyncio.to_thread(recall.memories.cues.annotate))
        await asyncio.sleep(0.1)
        goes_on.set()
        async with asyncio.timeout(10):
            assert (await ledger).annotated == 0
        assert list(await cues_in(recall)) == ["b"]


async def test_what_is_pending_at_the_end_waits_in_the_catalog(tmp_path: Path) -> None:
    model = ScriptedModel({"annotate": writing()})
    async with await Recall.aopen(tmp_path, llm=model, embedder="hashing") as recall:
        await recall.aadd(notes(3))
    assert not model.requests

    async with await Recall.aopen(tmp_path, llm=model, embedder="hashing") as recall:
        assert (await recall.memories.cues.aannotate()).annotated == 3


class CountingModel(ScriptedModel):
    """Answers once a second request has come, and counts how many requests it has at once."""

    at_once = most = 0

    async def complete(self, *args: Any, **bounds: Any) -> Any:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        for _ in range(500):
            await asyncio.sleep(0.01)
            if self.most >= 2:
                break
        self.at_once -= 1
        return await super().complete(*args, **bounds)


async def test_a_process_annotates_two_entities_at_once(tmp_path: Path) -> None:
    model = CountingModel({"annotate": writing()})
    quick = AnnotateSettings(quiet_seconds=0.05)
    async with RecallPool(tmp_path, llm=model, embedder="hashing", annotate=quick) as pool:
        for entity in ("ana", "ben", "cem", "dora", "emil"):
            async with pool.recall(entity) as recall:
                await recall.memories.aremember(f"{entity} met the boiler man.")
        await until(model.requests, 5)

    assert model.most == 2

"""Random histories of remembering, correcting, forgetting, crashes and reopening.

After every step the store must agree with a model of it, some forty lines of plain Python, on what
is stored, what holds, what was said before under the same id, what was believed on any day, and
what can be found.
"""

import asyncio
import copy
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from hypothesis.stateful import run_state_machine_as_test as run_machine
from tests.kept_memories import memories_of
from tests.stores.consistency import lost

from secondhop.errors import UsageError
from secondhop.ingest.pipeline import ingest_memories
from secondhop.memories.records import Fact
from secondhop.memories.service import MemoryService
from secondhop.models.hashing import HashingEmbedder
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.catalog.keeping import KeepingView
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.keeping import Keeping
from secondhop.stores.locks import WriterLock
from secondhop.stores.records import Message
from secondhop.stores.vectors.memory_index import MemoryIndex

START = datetime(2026, 1, 1, tzinfo=UTC)
DAYS = 9
VALUES = ("amber", "birch", "cedar", "dune")
NOTE = "A note"
"""The title of all plain memories, so that they differ only in their texts."""


def on(day: int) -> datetime:
    return START + timedelta(days=day)


class KilledError(Exception):
    """The process was killed here."""


class Executioner:
    """Kills the process after `left` more moments between two writes; never while it is None."""

    def __init__(self) -> None:
        self.left: int | None = None

    def moment(self) -> None:
        if self.left is None:
            return
        self.left -= 1
        if self.left < 0:
            raise KilledError

    def around(self, work: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            self.moment()
            done = work(*args, **named)
            self.moment()
            return done

        return call

    def around_async(self, work: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def call(*args: Any) -> Any:
            self.moment()
            done = await work(*args)
            self.moment()
            return done

        return call


@dataclass
class Known:
    """A memory of the model."""

    slot: str
    text: str
    day: int
    superseded: tuple[int, str] | None = None
    deprecated: int | None = None
    before: tuple[tuple[str, str], ...] = ()
    """(earlier text, origin of the text that replaced it) of each replaced text."""

    def holds(self, day: int | None = None) -> bool:
        """Whether it was believed to hold on that day; None: today."""
        ends = [self.superseded[0]] if self.superseded else []
        ends += [self.deprecated] if self.deprecated is not None else []
        return not any(day is None or end <= day for end in ends)


@dataclass
class Model:
    """What should be in the store."""

    known: dict[str, Known] = field(default_factory=dict[str, Known])

    def remember(self, memory_id: str, new: Known, *, supersedes: str | None = None) -> None:
        rivals = [one for one in self.known.values() if one.slot == new.slot and new.slot]
        rivals = [one for one in rivals if one.deprecated is None]
        held = [one for one in rivals if one.day <= new.day and one.holds(new.day)]
        if supersedes is None and any(one.text == new.text for one in held):
            return
        named = [self.known[supersedes]] if supersedes else []
        gone = [*held, *(one for one in named if one not in held)]
        later = sorted(
            (one.day, i)
            for i, one in self.known.items()
            if one in rivals and one.day > new.day and not any(self.leads(i, old) for old in gone)
        )
        for old in gone:
            old.superseded = (max(old.day, new.day), memory_id)
        new.superseded = later[0] if later else None
        self.known[memory_id] = new

    def leads(self, memory_id: str, to: Known) -> bool:
        """Whether `to` replaced the memory, or replaced what replaced it, and so on."""
        while self.known[memory_id] is not to:
            link = self.known[memory_id].superseded
            if not (link and link[1]):
                return False
            memory_id = link[1]
        return True

    def put_again(self, memory_id: str, text: str, origin: str) -> None:
        one = self.known[memory_id]
        if not text.startswith(one.text) and one.text not in [said for said, _ in one.before]:
            one.before = (*one.before, (one.text, origin))
        one.text = text

    def forget(self, memory_id: str) -> None:
        gone = self.known.pop(memory_id)
        heir = gone.superseded[1] if gone.superseded else ""
        for one in self.known.values():
            if one.superseded and one.superseded[1] == memory_id:
                one.superseded = (one.superseded[0], heir)

    def circle(self, old: str, new: str) -> bool:
        return self.leads(new, self.known[old])


class Histories(RuleBasedStateMachine):
    """The store and the model side by side."""

    memories: MemoryService

    @initialize(days=st.lists(st.integers(1, DAYS), min_size=2, max_size=3))
    def begin(self, days: list[int]) -> None:
        """Start with facts of some days, and notes that replaced each other."""
        self.folder = Path(tempfile.mkdtemp())
        self.runner = asyncio.Runner()
        self.index, self.embedder = MemoryIndex(), HashingEmbedder(dimension=64)
        self.killer, self.model, self.number = Executioner(), Model(), 0
        self.today = DAYS
        self.reopen()
        for value, day in zip(VALUES, days, strict=False):
            self.remember_a_fact(subject="me", value=value, day=day, dies=None)
        for day in (3, 4, 6):
            self.remember_words(text="dune", day=day, dies=None)
        notes = [f"m{self.number - 2 + place}" for place in range(3)]
        for old, new in pairwise(notes):
            self.replace(old, new, dies=None)

    def teardown(self) -> None:
        if hasattr(self, "runner"):
            self.runner.run(self.memories.writing.store.aclose())
            self.runner.close()
            shutil.rmtree(self.folder)

    @rule()
    def reopen(self) -> None:
        self.killer.left = None
        if hasattr(self, "memories"):
            self.runner.run(self.memories.writing.store.aclose())
        catalog, killer = Catalog(self.folder / "catalog.db"), self.killer
        for name in ("intend", "store", "remove", "settle", "write", "erase_leftovers"):
            setattr(catalog, name, killer.around(getattr(catalog, name)))
        index = copy.copy(self.index)  # it has the same vectors, which survive
        for name in ("upsert", "remove"):
            setattr(index, name, killer.around_async(getattr(index, name)))
        identity = Identity(entity="e", embedder_id=self.embedder.model_id, dimension=64)
        store = EntityStore(
            catalog,
            index,
            identity=identity,
            lock=WriterLock(self.folder / "writer.lock"),
            cue_index=MemoryIndex(),
        )
        store.clock = lambda: on(DAYS)
        self.runner.run(store.open())
        self.memories = memories_of(
            store, self.embedder, folder=self.folder, clock=lambda: on(self.today)
        )
        self.runner.run(self.memories.forgetter.finish())  # every opening does this

    def do(
        self,
        work: Callable[[], Awaitable[object]],
        change: Callable[[Model], object],
        *,
        dies: int | None,
    ) -> None:
        """Do it to both; if the process dies meanwhile, the store did all of it or nothing."""
        after = copy.deepcopy(self.model)
        change(after)
        self.killer.left = dies
        try:
            self.runner.run(_awaited(work))
        except KilledError:
            self.reopen()
            stored = self.told()
            assert stored in (told_by(self.model), told_by(after))
            if stored != told_by(after):
                return
        self.killer.left = None
        self.model = after

    def told(self) -> dict[str, "Told"]:
        """What the store says about each memory."""
        store = self.memories.writing.store
        ids = self.runner.run(store.content_hashes())
        return self.runner.run(store.look(lambda view: told_in(view, ids)))

    dying = st.one_of(st.none(), st.none(), st.integers(0, 9))

    @rule(
        subject=st.sampled_from(["me", "me", "mum"]),
        value=st.sampled_from(VALUES),
        day=st.integers(1, DAYS),
        dies=dying,
    )
    def remember_a_fact(self, subject: str, value: str, day: int, dies: int | None) -> None:
        self.number += 1
        memory_id = f"m{self.number}"
        fact = Fact(subject=subject, attribute="wood", value=value)
        self.do(
            lambda: self.memories.aremember(fact, at=on(day), memory_id=memory_id),
            lambda model: model.remember(memory_id, Known(subject, value, day)),
            dies=dies,
        )

    @rule(day=st.integers(1, DAYS))
    def turn_the_clock(self, day: int) -> None:
        """Set the clock forwards, or back as if it had been wrong."""
        self.today = day

    @rule(value=st.sampled_from(VALUES), dies=dying)
    def remember_a_fact_now(self, value: str, dies: int | None) -> None:
        self.number += 1
        memory_id, fact = f"m{self.number}", Fact(subject="me", attribute="wood", value=value)
        self.do(
            lambda: self.memories.aremember(fact, memory_id=memory_id),
            lambda model: model.remember(memory_id, Known("me", value, self.today)),
            dies=dies,
        )

    @rule(text=st.sampled_from(VALUES), day=st.integers(1, DAYS), dies=dying)
    def remember_words(self, text: str, day: int, dies: int | None) -> None:
        self.number += 1
        memory_id = f"m{self.number}"
        self.do(
            lambda: self.memories.aremember(text, title=NOTE, at=on(day), memory_id=memory_id),
            lambda model: model.remember(memory_id, Known("", text, day)),
            dies=dies,
        )

    @rule(pick=st.integers(0), other=st.integers(0), dies=dying)
    def supersede(self, pick: int, other: int, dies: int | None) -> None:
        ids = sorted(self.model.known)
        if not ids:
            return
        old, new = ids[pick % len(ids)], ids[other % len(ids)]
        link = self.model.known[old].superseded
        if (link and link[1] == new) or not self.model.known:
            return
        if self.model.circle(old, new) or (link and link[1]):
            with pytest.raises(UsageError):
                self.runner.run(_awaited(lambda: self.memories.asupersede(old, new)))
            return
        self.replace(old, new, dies=dies)

    def replace(self, old: str, new: str, *, dies: int | None) -> None:
        def change(model: Model) -> None:
            since = max(model.known[old].day, model.known[new].day)
            model.known[old].superseded = (since, new)

        self.do(lambda: self.memories.asupersede(old, new), change, dies=dies)

    @rule(pick=st.integers(0), day=st.integers(1, DAYS), dies=dying)
    def deprecate(self, pick: int, day: int, dies: int | None) -> None:
        ids = sorted(self.model.known)
        if not ids:
            return
        memory_id = ids[pick % len(ids)]

        def change(model: Model) -> None:
            one = model.known[memory_id]
            one.deprecated = one.deprecated if one.deprecated is not None else day

        self.do(lambda: self.memories.adeprecate(memory_id, "wrong", at=on(day)), change, dies=dies)

    @rule(pick=st.integers(0), dies=dying)
    def restore(self, pick: int, dies: int | None) -> None:
        ids = sorted(self.model.known)
        if not ids:
            return
        memory_id = ids[pick % len(ids)]

        def change(model: Model) -> None:
            model.known[memory_id].superseded = model.known[memory_id].deprecated = None

        self.do(lambda: self.memories.arestore(memory_id), change, dies=dies)

    @rule(pick=st.integers(0), text=st.sampled_from(VALUES), day=st.integers(1, DAYS), dies=dying)
    def update(self, pick: int, text: str, day: int, dies: int | None) -> None:
        ids = sorted(self.model.known)
        if not ids:
            return
        old = ids[pick % len(ids)]
        known = self.model.known[old]
        if known.superseded and known.superseded[1]:
            return
        self.number += 1
        new = f"m{self.number}"
        self.do(
            lambda: self.memories.aupdate(old, text, at=on(day), new_id=new),
            lambda model: model.remember(new, Known(known.slot, text, day), supersedes=old),
            dies=dies,
        )

    @rule(
        pick=st.integers(0),
        text=st.sampled_from(VALUES),
        goes_on=st.booleans(),
        origin=st.sampled_from(["", "notes"]),
        dies=dying,
    )
    def put_again(self, pick: int, text: str, goes_on: bool, origin: str, dies: int | None) -> None:
        """Put another text under the id of a note, as if its file were ingested again."""
        notes = sorted(i for i, one in self.model.known.items() if not one.slot)
        if not notes:
            return
        memory_id = notes[pick % len(notes)]
        said = f"{self.model.known[memory_id].text} {text}" if goes_on else text
        self.do(
            lambda: self.ingested(memory_id, said, origin),
            lambda model: model.put_again(memory_id, said, origin),
            dies=dies,
        )

    async def ingested(self, memory_id: str, text: str, origin: str) -> None:
        """Store a text as an ingest does."""
        old = await self.memories.writing.store.memory(memory_id)
        assert old is not None
        new = replace(old, messages=(Message("user", text),), origin=origin)
        await ingest_memories(
            [new],
            writer=self.memories.writing.store,
            embedder=self.embedder,
        )

    @rule(pick=st.integers(0), dies=dying)
    def forget(self, pick: int, dies: int | None) -> None:
        ids = sorted(self.model.known)
        if not ids:
            return
        memory_id = ids[pick % len(ids)]
        self.do(
            lambda: self.memories.aforget(memory_id),
            lambda model: model.forget(memory_id),
            dies=dies,
        )

    @invariant()
    def both_say_the_same(self) -> None:
        if not hasattr(self, "memories"):
            return
        assert self.told() == told_by(self.model)
        for day in (None, 2, 5, DAYS):
            found = self.runner.run(
                self.memories.afacts(None, "wood", as_of=None if day is None else on(day))
            )
            believed = {
                i: (one.slot, one.text)
                for i, one in self.model.known.items()
                if one.slot and one.holds(day) and (day is None or one.day <= day)
            }
            assert {fact.memory_id: (fact.subject, fact.value) for fact in found} == believed

    @invariant()
    def no_value_is_lost(self) -> None:
        """Each chain of replacements ends at a value that holds, was deprecated or forgotten."""
        if not hasattr(self, "memories"):
            return
        ids = self.runner.run(self.memories.writing.store.content_hashes())
        links = self.runner.run(
            self.memories.writing.store.look(
                lambda view: {one: view.keeping(one).superseded_by for one in ids}
            )
        )
        for memory_id in links:
            seen = {memory_id}
            while memory_id := links[memory_id]:
                assert memory_id not in seen
                seen.add(memory_id)

    @invariant()
    def what_is_stored_is_found_and_nothing_else(self) -> None:
        if not hasattr(self, "memories"):
            return
        store = self.memories.writing.store
        for value in VALUES:
            (hits,) = self.runner.run(store.lexical([value], k=1_000))
            saying = {i for i, one in self.model.known.items() if value in one.text.split()}
            assert {hit.memory_id for hit in hits} == saying
        counts = self.runner.run(store.counts())
        assert counts.vectors == counts.passages == len(self.model.known)
        assert counts.pending == 0


Told = tuple[str, str, tuple[tuple[str, str, datetime], ...]]
"""(text, how it ended, ((earlier text, origin of what replaced it, when), …)) of a memory."""


def told_in(view: KeepingView, ids: Iterable[str]) -> dict[str, Told]:
    """{memory id: what the catalog says about it}."""
    said: dict[str, Told] = {}
    for memory_id in ids:
        memory, kept = view.memory(memory_id), view.keeping(memory_id)
        assert memory is not None
        ends = ""
        if kept != Keeping():
            ends = f"{kept.superseded_at}|{kept.superseded_by}|{kept.deprecated_at}"
        before = tuple(
            (one.memory.messages[0].content, one.replaced_by, one.replaced_at)
            for one in view.earlier_texts(memory_id)
        )
        said[memory_id] = (memory.value or memory.messages[0].content, ends, before)
    assert lost(view) == []
    return said


def told_by(model: Model) -> dict[str, Told]:
    """{memory id: what the store should say about it}."""
    said: dict[str, Told] = {}
    for memory_id, one in model.known.items():
        since = on(one.superseded[0]) if one.superseded else None
        heir = one.superseded[1] if one.superseded else ""
        gone = on(one.deprecated) if one.deprecated is not None else None
        ends = f"{since}|{heir}|{gone}" if since or gone else ""
        before = tuple((text, origin, on(DAYS)) for text, origin in one.before)
        said[memory_id] = (one.text, ends, before)
    return said


async def _awaited(work: Callable[[], Awaitable[object]]) -> object:
    return await work()


def histories(examples: int, steps: int) -> None:
    """Run `examples` random histories of `steps` steps."""
    how = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    run_machine(Histories, settings=how)


def test_model_and_store_agree_at_every_step() -> None:
    histories(examples=20, steps=3)


def test_killed_at_any_moment_what_is_written_and_what_it_replaces_change_both_or_neither() -> None:
    side_by_side = Histories()
    side_by_side.begin(days=[2, 5])
    for moment in range(12):
        value = ("cedar", "dune")[moment % 2]  # never the value that already holds
        side_by_side.remember_a_fact(subject="me", value=value, day=DAYS, dies=moment)
        side_by_side.both_say_the_same()
        side_by_side.put_again(
            pick=0, text=VALUES[moment % 4], goes_on=False, origin="notes", dies=moment
        )
        side_by_side.both_say_the_same()
        side_by_side.what_is_stored_is_found_and_nothing_else()
    kept = [one.before for one in side_by_side.model.known.values() if one.before]
    assert kept
    side_by_side.teardown()


@pytest.mark.slow
def test_model_and_store_agree_in_a_thousand_histories() -> None:
    histories(examples=1_000, steps=15)

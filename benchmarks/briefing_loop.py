"""Does being shown breed being shown? A simulated life of sessions, under the audited formula of
session starts and under ours.

    python -m benchmarks.briefing_loop        # means of the second half of 200 sessions
"""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from secondhop.briefing.sources import BriefingAsked, BriefingSources
from secondhop.briefing.start import brief
from secondhop.models.tokens import count_tokens
from secondhop.nodes.config import BriefingSettings
from secondhop.ranking.arrays import Floats
from secondhop.ranking.decay import fsrs_recency
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.counters import CounterStore, Use
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.keeping import Keeping, KeepingChange
from secondhop.stores.locks import WriterLock
from secondhop.stores.records import (
    EmbeddedMemory,
    Memory,
    Message,
    Passage,
    passage_id_of,
)
from secondhop.stores.vectors.memory_index import MemoryIndex

START: Final = datetime(2026, 1, 1, 8, tzinfo=UTC)
STABILITY_DAYS: Final = 30.0
SLOTS: Final = 10
"""Memories that a session is shown."""
A_DAY: Final = 3
"""Memories written a day; there is one session a day."""
NEEDED: Final = 3
"""Memories that a session needs, of those written so far."""
NEED_FADES_DAYS: Final = 14.0
"""A memory that is so many days older is needed 1/e as often; salience makes it likelier, too."""
OFTEN: Final = 30
"""Showings from which on a memory is an incumbent."""

OUR_WAYS: Final = {
    "briefing": False,
    "showing counted": True,
}
"""{name: whether being shown counts as accepted}."""

Chooser: TypeAlias = Callable[[int], Awaitable[Sequence[int]]]
"""From the day to the numbers of the memories that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """What is written and needed, the same for every way of choosing."""

    days: int
    salience: Floats
    """0..1 of each memory, in the order they are written."""
    needed: Sequence[frozenset[int]]
    """By day."""

    def written(self, day: int) -> npt.NDArray[np.int64]:
        """Numbers of the memories that exist on that day."""
        return np.arange((day + 1) * A_DAY)


@dataclass(slots=True, kw_only=True)
class LoopReport:
    """One way of choosing, session by session."""

    name: str
    incumbents: list[float] = field(default_factory=list[float])
    """Share of the slots that memories hold which were shown in `OFTEN` sessions before."""
    found: list[float] = field(default_factory=list[float])
    """Share of what the session needed that was shown."""
    age_days: list[float] = field(default_factory=list[float])
    """Mean age of what was shown."""

    def means(self) -> dict[str, float]:
        """Of the second half: the first one begins without memories."""
        half = len(self.found) // 2
        lists = {"incumbents": self.incumbents, "found": self.found, "age_days": self.age_days}
        return {name: round(float(np.mean(own[half:])), 4) for name, own in lists.items()}


def life_of(days: int, *, seed: int) -> Life:
    """A life that the seed alone decides."""
    random = np.random.default_rng(seed)
    salience = random.uniform(0.2, 0.8, size=days * A_DAY)
    needed: list[frozenset[int]] = []
    for day in range(days):
        ages = day - np.arange((day + 1) * A_DAY) // A_DAY
        weights = np.exp(-ages / NEED_FADES_DAYS) * salience[: len(ages)]
        drawn = random.choice(len(ages), size=NEEDED, replace=False, p=weights / weights.sum())
        needed.append(frozenset(drawn.tolist()))
    return Life(days=days, salience=salience, needed=needed)


def audited_score(
    age_days: npt.ArrayLike,
    confidence: npt.ArrayLike,
    recalls: npt.ArrayLike,
    days_since_recall: npt.ArrayLike,
    *,
    stability_days: float = STABILITY_DAYS,
) -> Floats:
    """The formula that the reference audit of session starts found at fault, to compare with.

    score = (0.3 + 0.7 · r) · max(c, min(n^0.7 / 5, 1) · r of the last recall)

    where every showing counts as a recall.

    >>> audited_score([90, 2], [0.75, 0.75], [15, 0], [2, 0]).round(2).tolist()
    [0.83, 0.75]
    """
    recency = fsrs_recency(age_days, stability_days=stability_days)
    counts = np.asarray(recalls, dtype=np.float64)
    since = fsrs_recency(days_since_recall, stability_days=stability_days)
    strength = np.minimum(counts**0.7 / 5, 1.0) * since
    return np.asarray((0.3 + 0.7 * recency) * np.maximum(confidence, strength))


class Audited:
    """Chooses by the audited formula; what it shows counts as recalled."""

    def __init__(self, life: Life) -> None:
        self._life = life
        self._recalls = np.zeros(life.days * A_DAY)
        self._last = np.zeros(life.days * A_DAY)

    async def choose(self, day: int) -> Sequence[int]:
        """The best of all that is written."""
        own = self._life.written(day)
        scores = audited_score(
            day - own // A_DAY,
            0.5 + self._life.salience[own] / 2,
            self._recalls[own],
            day - self._last[own],
        )
        shown = np.lexsort((-own, -scores))[:SLOTS]
        self._recalls[shown] += 1
        self._last[shown] = day
        return [int(number) for number in shown]


class Ours:
    """Chooses by the briefing itself, over a real catalog and real counters."""

    def __init__(
        self,
        life: Life,
        store: EntityStore,
        counters: CounterStore,
        *,
        showing_counts: bool,
    ) -> None:
        """Whether what is shown counts as accepted: it should not, and this shows why."""
        self._life, self._counters, self._showing_counts = life, counters, showing_counts
        self._sources = BriefingSources(
            entity="somebody",
            store=store,
            counters=counters,
            count_tokens=count_tokens,
        )

    async def choose(self, day: int) -> Sequence[int]:
        """The briefing of that day; then what of it was of use is accepted."""
        now = moment_of(day) + timedelta(hours=1)
        asked = BriefingAsked(
            now=now, until=now, limit=SLOTS, tokens=None, settings=BriefingSettings()
        )
        told = await brief(self._sources, asked)
        shown = [int(memory_id) for memory_id in told.ids()]
        needed = sorted(self._life.needed[day].intersection(shown))
        used = shown if self._showing_counts else needed
        ids = [str(number) for number in used]
        await self._counters.count(
            Use(trace_id=f"day-{day}", at=now, retrieved=ids, shown=ids, accepted=ids)
        )
        return shown


async def simulated(sessions: int, *, seed: int) -> list[LoopReport]:
    """The audited formula; ours; and ours with its way of counting."""
    life = life_of(sessions, seed=seed)
    reports = [await lived("audited formula", life, Audited(life).choose)]
    with tempfile.TemporaryDirectory(prefix="secondhop-") as folder:
        store = store_in(Path(folder))
        async with aclosing(store):
            await store_life(store, life)
            for name, showing_counts in OUR_WAYS.items():
                ours = Ours(
                    life,
                    store,
                    CounterStore(Path(folder) / f"counters {name}.db"),
                    showing_counts=showing_counts,
                )
                reports.append(await lived(name, life, ours.choose))
    return reports


async def lived(name: str, life: Life, choose: Chooser) -> LoopReport:
    """Every session of a life in turn."""
    report = LoopReport(name=name)
    showings: Counter[int] = Counter()
    for day in range(life.days):
        shown = await choose(day)
        needed = life.needed[day]
        report.incumbents.append(share(showings[one] >= OFTEN for one in shown))
        report.found.append(share(one in shown for one in needed))
        report.age_days.append(float(np.mean([day - one // A_DAY for one in shown])))
        showings.update(shown)
    return report


def share(held: Iterable[bool]) -> float:
    """Of those that are true."""
    values = list(held)
    return sum(values) / len(values)


def moment_of(day: int) -> datetime:
    """When the memories of that day are written; the session is an hour later."""
    return START + timedelta(days=day)


def store_in(folder: Path) -> EntityStore:
    """An empty store; its vectors, which no briefing looks at, stay in memory."""
    identity = Identity(entity="somebody", embedder_id="none", dimension=1)
    return EntityStore(
        Catalog(folder / "catalog.db"),
        MemoryIndex(),
        identity=identity,
        lock=WriterLock(folder / "writer.lock"),
    )


async def store_life(store: EntityStore, life: Life) -> None:
    """All memories of a life, each with its salience."""
    await store.put([embedded(number) for number in range(life.days * A_DAY)])
    changes = [
        KeepingChange(
            memory_id=str(number),
            keeping=Keeping(salience=round(float(salience), 6)),
            act="changed",
            at=START,
        )
        for number, salience in enumerate(life.salience)
    ]
    await store.change(lambda _: changes)


def embedded(number: int) -> EmbeddedMemory:
    """A note about something that no other note is about."""
    text = f"note{number} topic{number} about{number}"
    memory = Memory(
        memory_id=str(number),
        title=f"note {number}",
        source="note",
        created_at=moment_of(number // A_DAY),
        messages=(Message("user", text),),
    )
    passage = Passage(
        passage_id=passage_id_of(memory, 0),
        memory_id=memory.memory_id,
        ordinal=0,
        text=text,
        tokens=3,
    )
    vectors = np.ones((1, 1), dtype=np.float32)
    return EmbeddedMemory(memory=memory, passages=(passage,), vectors=vectors)


def main() -> None:
    """Print what each way of choosing comes to."""
    for report in asyncio.run(simulated(200, seed=0)):
        print(f"{report.name:20}", report.means())


if __name__ == "__main__":
    main()

"""Orders memories within each category of a briefing; pure."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias

from secondhop.briefing.briefing import Category
from secondhop.ranking.decay import fsrs_recency
from secondhop.ranking.same_thing import SameThing
from secondhop.ranking.session_start import accepted_strength, session_start_score
from secondhop.stores.counters import Counters
from secondhop.stores.keeping import holds_always
from secondhop.stores.records import BriefableMemory

ASKS: Final = re.compile(r"[?？؟][\s\"'”’»)\]]*$")
"""Matches a text that ends with a question, in most scripts."""

Texts: TypeAlias = Mapping[str, str]
"""{memory id: its first passage, or the last passage of a conversation}."""

NEVER: Final = Counters()
"""The counters of a memory that no recall has found."""

RECENT_DAYS: Final = 7.0
"""Stability of recent memories; after this many days, recency is 0.9."""

OPEN_DAYS: Final = 30.0
"""Stability of open memories."""

LASTING_DAYS: Final = 365.0
"""Stability of preferences."""

_DAY_S: Final = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A memory with its category, score and reason."""

    memory: BriefableMemory
    category: Category
    score: float
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighing:
    """What scores depend on besides the memories themselves."""

    now: datetime
    counted: Mapping[str, Counters]
    """{memory id: its counters}; only acceptances count in a score."""

    def ranked(
        self,
        memories: Sequence[BriefableMemory],
        *,
        category: Category,
        stability_days: float,
        why: Callable[[BriefableMemory], str],
    ) -> list[Ranked]:
        """The memories with their `session_start_score` (0..1), in the order given.

        Confidence is 0.5 + salience / 2. That is 0.75 for a memory whose salience was never set.
        """
        if not memories:
            return []
        counters = [self.counted.get(one.memory_id, NEVER) for one in memories]
        recency = fsrs_recency(
            [self._days(one.created_at) for one in memories], stability_days=stability_days
        )
        strength = accepted_strength(
            [one.accepted for one in counters],
            [self._days(one.accepted_at or self.now) for one in counters],
            stability_days=stability_days,
        )
        confidence = [0.5 + one.salience / 2 for one in memories]
        scores = session_start_score(recency, confidence, strength)
        return [
            Ranked(memory=one, category=category, score=round(score, 6), why=why(one))
            for one, score in zip(memories, scores.tolist(), strict=True)
        ]

    def _days(self, moment: datetime) -> float:
        return (self.now - moment).total_seconds() / _DAY_S


def core_order(memories: Iterable[BriefableMemory]) -> list[Ranked]:
    """Oldest first, so that the beginning of a prompt seldom changes and can be cached."""
    ordered = sorted(memories, key=lambda one: (one.created_at, one.memory_id))
    return [Ranked(memory=one, category="core", score=1.0, why="marked as core") for one in ordered]


def active_order(
    active: Sequence[BriefableMemory],
    recent: Sequence[BriefableMemory],
    *,
    weighing: Weighing,
    texts: Texts,
) -> list[Ranked]:
    """The memory that the last chat left open, then the others by score.

    Args:
        texts: texts of the recent memories.
    """
    thread, why = left_open(active, recent, texts=texts)
    listed = [thread, *active] if thread is not None and thread not in active else [*active]
    ranked = weighing.ranked(
        listed,
        category="active",
        stability_days=OPEN_DAYS,
        why=lambda one: why if one is thread else f"open since {one.created_at.date()}",
    )
    return sorted(ranked, key=lambda one: (one.memory is not thread, *best_first(one)))


def left_open(
    active: Sequence[BriefableMemory],
    recent: Sequence[BriefableMemory],
    *,
    texts: Texts,
) -> tuple[BriefableMemory | None, str]:
    """(the memory that the last chat left open, why); (None, "") if it left nothing open.

    The last chat is the newest stored conversation. The memory is the newest open one if it is
    from that chat; else the conversation itself, if it ends with a question. Without any
    conversation, it is the newest open memory.

    Args:
        active: open memories, newest first.
        recent: recent memories, newest first.
    """
    talk = next((one for one in recent if one.source == "conversation"), None)
    newest = active[0] if active else None
    if talk is None:
        return newest, "the newest item left open"
    if newest is not None and newest.created_at >= talk.created_at:
        return newest, "left open in the last chat"
    if ASKS.search(texts.get(talk.memory_id, "")):
        return talk, "the last conversation ended with a question"
    return None, ""


def preferences_order(memories: Sequence[BriefableMemory], *, weighing: Weighing) -> list[Ranked]:
    """Preferences that always hold, then those for a context; only the best of each slot."""
    ranked = weighing.ranked(
        memories,
        category="preferences",
        stability_days=LASTING_DAYS,
        why=lambda one: (
            "applies always" if holds_always(one.scope) else f"applies when it is about {one.scope}"
        ),
    )
    ordered = sorted(ranked, key=lambda one: (not holds_always(one.memory.scope), *best_first(one)))
    return list(first_of_slots(ordered, taken=()))


def recent_order(
    memories: Sequence[BriefableMemory],
    *,
    weighing: Weighing,
    texts: Texts,
    told: Iterable[BriefableMemory],
) -> Iterator[Ranked]:
    """By score, without repeats: only the best of each slot, and no text that repeats a better one.

    Args:
        told: core memories, whose slots are already taken.
    """
    ranked = weighing.ranked(
        memories,
        category="recent",
        stability_days=RECENT_DAYS,
        why=lambda one: f"written on {one.created_at.date()}",
    )
    seen = SameThing()
    for one in first_of_slots(sorted(ranked, key=best_first), taken=(m.slot for m in told)):
        memory = one.memory
        said = f"{memory.title}\n{texts.get(memory.memory_id, '')}"
        if memory.slot or not seen.repeats(memory.memory_id, said):
            yield one


def first_of_slots(ordered: Iterable[Ranked], *, taken: Iterable[str]) -> Iterator[Ranked]:
    """Skip memories whose slot is taken by a better one, whose entry names contradictions."""
    known = set(taken)
    for one in ordered:
        if not one.memory.slot or one.memory.slot not in known:
            known.add(one.memory.slot)
            yield one


def best_first(one: Ranked) -> tuple[float, float, str]:
    """Sort key: higher score first, then newer, then smaller id."""
    memory = one.memory
    return -one.score, -memory.created_at.timestamp(), memory.memory_id

"""Decides what to do with a statement: write it, let it supersede, keep both, or drop it; pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from secondhop.memories import rules as rules
from secondhop.observe.attributes import CONSTANT
from secondhop.observe.port import Reading
from secondhop.observe.sentences import corrects
from secondhop.stores.catalog.keeping import KeepingView
from secondhop.stores.catalog.rows import folded
from secondhop.stores.keeping import Keeping, KeepingChange
from secondhop.stores.records import Memory

ONE_TALK = timedelta(hours=1)
"""Two different values within this time, without a word of change, are a slip, because a home or a
phone number does not change during a conversation."""

TODAY = timedelta(days=1)
"""What is said within this time of its writing is said now; days differ by time zones."""

NOWHERE = rules.Place(held=(), same=(), replaced=(), later=None)
"""For a memory that supersedes nothing and is not superseded."""

TAKEN_BACK = "the person said that it no longer holds"
"""The reason why a memory ended that the person took back."""

OBSERVED = "observed in a conversation"
"""The reason in the history of a superseded memory; it quotes nothing of the newer memory, which
may be forgotten later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A reading, and the memory that it would become."""

    reading: Reading
    memory: Memory
    source: str
    """Note for its history: the message and the characters."""
    at: datetime
    """When it is written to the store."""
    seen_as: str = ""
    """Id of a memory that came earlier from the same words of the same message, or ""."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """The decision about one statement."""

    decision: rules.NewMemoryDecision
    done: Literal["added", "duplicate", "conflict", "ended", ""]
    why: str
    beside: Sequence[Memory] = ()
    """Current memories that contradict it and stay current."""
    replaced: Sequence[Memory] = ()
    ended: Memory | None = None
    """The fact that it negates."""


def judged(statement: Statement, view: KeepingView) -> Judgement:
    """Decide about one statement."""
    memory = statement.memory
    if statement.seen_as:
        return duplicate(statement.seen_as, "These words of this message were observed before.")
    known = view.memory(memory.memory_id)
    if known is not None:
        return duplicate(known.memory_id, f"It is known since {known.created_at:%Y-%m-%d}.")
    if memory.kind == "continuity":
        return added(statement, view, NOWHERE, "Nothing like it is known.")
    early = too_early(statement, view)
    place = rules.place_of(memory, view, supersedes=[one.memory_id for one in early])
    place = replace(place, held=[*place.held, *early])
    held, same, later = place.held, place.same, place.later
    others = [rival for rival in held if rival not in same]
    if later is not None and rules.says_the_same(later, memory):
        same = same or [later]
    if same and (later is not None or not settles(statement, others)):
        return duplicate(same[-1].memory_id, f"It is known since {same[-1].created_at:%Y-%m-%d}.")
    if later is not None:
        why = (
            f"Something newer is known, from {later.created_at:%Y-%m-%d}, so this one is in the "
            f"past."
        )
    elif not held:
        why = "Nothing was known of it."
    elif same:
        why = "Said again, it settles what was in doubt."
    elif doubt := undecided(statement, held):
        return in_conflict(statement, view, held, doubt)
    else:
        why = newer_because(statement, held)
    return added(statement, view, place, why)


def too_early(statement: Statement, view: KeepingView) -> list[Memory]:
    """The valid memories of its slot that are dated in the future, if it corrects them now."""
    reading, said, now = statement.reading, statement.memory, statement.at
    if not (reading.sure and corrects(reading.change)) or abs(now - said.created_at) > TODAY:
        return []
    return [
        one
        for one in view.rivals(said)
        if one.created_at > max(now, said.created_at)
        and view.keeping(one.memory_id).end(now=now) is None
        and not rules.says_the_same(one, said)
    ]


def ending(statement: Statement, view: KeepingView) -> Judgement:
    """End the one current fact that a statement negates, at its date; if there is none, or more
    than one, nothing is done."""
    said = replace(statement.memory, memory_id="")  # the same message may have stated it
    current = [
        one
        for one in rules.place_of(said, view).same
        if view.keeping(one.memory_id).end(now=statement.at) is None
    ]
    if statement.seen_as or len(current) != 1:
        return Judgement(decision=rules.NewMemoryDecision(changes=()), done="", why="")
    (fact,) = current
    changes = [
        replace(change, at=statement.at, detail=f"{statement.source}; ended")
        for change in rules.deprecate(fact.memory_id, TAKEN_BACK, view, at=said.created_at)
    ]
    return Judgement(
        decision=rules.NewMemoryDecision(changes=changes),
        done="ended",
        why=f"It was known since {fact.created_at:%Y-%m-%d}, and {TAKEN_BACK}.",
        ended=fact,
    )


def settles(statement: Statement, others: Sequence[Memory]) -> bool:
    """Whether repeating a known statement settles the conflict between it and `others`."""
    return bool(others) and statement.reading.sure and not at_once(statement, others)


def undecided(statement: Statement, held: Sequence[Memory]) -> str:
    """Why it cannot be decided which value is right; "" if the newer one is.

    Of two preferences, the newer one is always right, because a person may change their mind.
    """
    reading, memory = statement.reading, statement.memory
    if memory.kind == "preferential":
        return ""
    if not reading.sure:
        return "The person is not sure of it."
    constant = folded(memory.attribute) in CONSTANT
    if reading.change and (corrects(reading.change) or not constant):
        return ""
    if constant:
        return f"A {memory.attribute} does not change, and nothing says that this is a correction."
    if at_once(statement, held):
        return "Both were said within an hour, and nothing says which is right."
    return ""


def at_once(statement: Statement, others: Sequence[Memory]) -> bool:
    """Whether one of the others was said within ONE_TALK of it."""
    return any(abs(statement.memory.created_at - one.created_at) < ONE_TALK for one in others)


def newer_because(statement: Statement, held: Sequence[Memory]) -> str:
    """Why it supersedes what was known."""
    old = max(one.created_at for one in held)
    words = f", and says so: “{statement.reading.change}”" if statement.reading.change else ""
    how = "is newer than" if old <= statement.memory.created_at else "corrects"
    return f"It {how} what was known of {old:%Y-%m-%d}{words}."


def duplicate(memory_id: str, why: str) -> Judgement:
    """The judgement for a known statement: nothing is written."""
    return Judgement(
        decision=rules.NewMemoryDecision(changes=(), same_as=memory_id), done="duplicate", why=why
    )


def repeating(statement: Statement, memory_id: str, view: KeepingView) -> list[KeepingChange]:
    """A note for the history of the memory that already says it; its keeping does not change.

    The note lets a later call recognise the same message, even after something else was said.
    """
    if view.memory(memory_id) is None:
        return []
    change = KeepingChange(
        memory_id=memory_id,
        keeping=view.keeping(memory_id),
        act="repeated",
        at=statement.at,
        detail=statement.source,
    )
    return [change]


def in_conflict(
    statement: Statement, view: KeepingView, held: Sequence[Memory], why: str
) -> Judgement:
    """The judgement for a conflict: the memory is written, and both stay current."""
    others = ", ".join(one.memory_id for one in held)
    beside = added(statement, view, NOWHERE, why, detail=f"; contradicts {others}")
    return replace(beside, done="conflict", beside=held)


def added(
    statement: Statement, view: KeepingView, place: rules.Place, why: str, *, detail: str = ""
) -> Judgement:
    """The judgement for a new memory; its history notes the words from which it came."""
    decision = rules.entered(
        statement.memory,
        view,
        place,
        keeping=Keeping(),
        at=statement.at,
        detail=statement.source + detail,
        reason=OBSERVED,
    )
    return Judgement(decision=decision, done="added", why=why, replaced=place.held)

"""Decides what to do with a statement: write it, let it supersede, keep both, or drop it; pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from secondhop.memories import rules as rules
from secondhop.observe.attributes import CONSTANT
from secondhop.observe.port import Reading
from secondhop.observe.sentences import corrects
from secondhop.stores.catalog.keeping import KeepingView
from secondhop.stores.catalog.rows import folded
from secondhop.stores.keeping import SAID_IN, Keeping, KeepingChange
from secondhop.stores.records import Memory

ONE_TALK = timedelta(hours=1)
"""Two different values within it, without a word of change, are a slip: a home or a phone number
does not change during a conversation."""


NOWHERE = rules.Place(held=(), same=(), replaced=(), later=None)
"""It supersedes nothing, and nothing supersedes it."""

OBSERVED = "observed in a conversation"
"""In the history of what was superseded; no word of the other memory, which may be forgotten."""


IN_ONE_TALK = "Both were said within one talk, and no word says which is right."

SAYS_SO = "; its words say that it is new"
"""In the history of a fact that decides against older ones, those that come in late too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A reading as the memory it would be."""

    reading: Reading
    memory: Memory
    source: str
    """For its history: which message, and which characters of it."""
    at: datetime
    """When it is written down."""
    seen_as: str = ""
    """Id of a memory that came of the same words of the same message, earlier; "" for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What becomes of it."""

    decision: rules.NewMemoryDecision
    done: Literal["added", "duplicate", "conflict"]
    why: str
    beside: Sequence[Memory] = ()
    """What contradicts it and holds as well."""
    replaced: Sequence[Memory] = ()


def judged(statement: Statement, view: KeepingView, *, said_now: Collection[str]) -> Judgement:
    """What becomes of one statement.

    Args:
        said_now: ids of what the same call has written before it.
    """
    memory = statement.memory
    if statement.seen_as:
        return duplicate(statement.seen_as, "These words of this message were observed before.")
    known = view.memory(memory.memory_id)
    if known is not None:
        return duplicate(known.memory_id, f"It is known since {known.created_at:%Y-%m-%d}.")
    if memory.kind == "continuity":
        return added(statement, view, NOWHERE, "Nothing like it is known.")
    rivals = as_new(statement, view)
    place = rules.place_of(memory, view, beside=rivals)
    held, same, later = place.held, place.same, place.later
    others = [rival for rival in held if rival not in same]
    if later is not None and rules.says_the_same(later, memory):
        same = same or [later]
    if same and (later is not None or not settles(statement, others, said_now)):
        return duplicate(same[-1].memory_id, f"It is known since {same[-1].created_at:%Y-%m-%d}.")
    if later is not None:
        why = f"Something newer is known, of {later.created_at:%Y-%m-%d}: it belongs to the past."
    elif same:
        why = "Said again, it settles what was in doubt."
    elif held and (doubt := undecided(statement, held, said_now)):
        return in_conflict(statement, view, NOWHERE, doubt, beside=[*held, *rivals])
    elif rivals:
        return in_conflict(statement, view, place, IN_ONE_TALK, beside=rivals)
    elif not held:
        why = "Nothing was known of it."
    else:
        why = newer_because(statement, held)
    return added(statement, view, place, why)


def as_new(statement: Statement, view: KeepingView) -> list[Memory]:
    """Other values of a fact that hold, were said a moment later, and do not say that they are new.

    Messages that are observed at the same time are not written in the order of their dates.
    """
    memory = statement.memory
    if memory.kind != "factual":
        return []
    return [
        one
        for one in view.rivals(memory)
        if timedelta(0) < one.created_at - memory.created_at < ONE_TALK
        and view.keeping(one.memory_id).end(now=statement.at) is None
        and not rules.says_the_same(one, memory)
        and not said_as_new(one, view)
    ]


def said_as_new(memory: Memory, view: KeepingView) -> bool:
    """Whether a stored fact decides against older ones: its words say so, or no message said it."""
    details = [one.detail for one in view.history(memory.memory_id) if one.act == "remembered"]
    return not any(one.startswith(SAID_IN) and SAYS_SO not in one for one in details)


def settles(statement: Statement, others: Sequence[Memory], said_now: Collection[str]) -> bool:
    """Whether a statement that is known already decides between it and what contradicts it."""
    return bool(others) and statement.reading.sure and not at_once(statement, others, said_now)


def undecided(statement: Statement, held: Sequence[Memory], said_now: Collection[str]) -> str:
    """Why it cannot be decided which of two values is right; "" where the newer one is.

    Preferences are the person's to change: the newer one always is.
    """
    memory = statement.memory
    if memory.kind == "preferential":
        return ""
    if not statement.reading.sure:
        return "The person is not sure of it."
    if says_so(statement):
        return ""
    if is_constant(memory):
        return f"A {memory.attribute} does not change, and no word says that this is a correction."
    if at_once(statement, held, said_now):
        return IN_ONE_TALK
    return ""


def says_so(statement: Statement) -> bool:
    """Whether the words of a fact say that it is new, or a correction."""
    reading, memory = statement.reading, statement.memory
    if memory.kind != "factual" or not (reading.sure and reading.change):
        return False
    return corrects(reading.change) or not is_constant(memory)


def is_constant(memory: Memory) -> bool:
    """Whether no life changes it."""
    return folded(memory.attribute) in CONSTANT


def at_once(statement: Statement, others: Sequence[Memory], said_now: Collection[str]) -> bool:
    """Whether it was said in the same talk as one of the others."""
    said = statement.memory.created_at
    return any(o.memory_id in said_now or abs(said - o.created_at) < ONE_TALK for o in others)


def newer_because(statement: Statement, held: Sequence[Memory]) -> str:
    """Why it takes the place of what was known."""
    old = max(one.created_at for one in held)
    words = f", and says so: “{statement.reading.change}”" if statement.reading.change else ""
    return f"It is newer than what was known of {old:%Y-%m-%d}{words}."


def duplicate(memory_id: str, why: str) -> Judgement:
    """It is known: nothing is written."""
    return Judgement(
        decision=rules.NewMemoryDecision(changes=(), same_as=memory_id), done="duplicate", why=why
    )


def repeating(statement: Statement, memory_id: str, view: KeepingView) -> list[KeepingChange]:
    """A note in the history of what says it already; it stands as it stood.

    So the same message is known again, also after something else was said.
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
    statement: Statement,
    view: KeepingView,
    place: rules.Place,
    why: str,
    *,
    beside: Sequence[Memory],
) -> Judgement:
    """It is written beside what contradicts it, and both hold."""
    others = ", ".join(one.memory_id for one in beside)
    written = added(statement, view, place, why, detail=f"; contradicts {others}")
    return replace(written, done="conflict", beside=beside)


def added(
    statement: Statement, view: KeepingView, place: rules.Place, why: str, *, detail: str = ""
) -> Judgement:
    """It is written, and takes its place; its history tells from which words it came."""
    decision = rules.entered(
        statement.memory,
        view,
        place,
        keeping=Keeping(),
        at=statement.at,
        detail=statement.source + (SAYS_SO if says_so(statement) else "") + detail,
        reason=OBSERVED,
    )
    return Judgement(decision=decision, done="added", why=why, replaced=place.held)

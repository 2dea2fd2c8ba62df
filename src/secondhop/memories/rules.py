"""Decides what changes when a memory is written, superseded, deprecated or restored.

Pure decisions: they read the catalog and return changes, which the store makes in one transaction.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from secondhop.errors import NotStoredError, UsageError
from secondhop.given_values import check_id
from secondhop.stores.catalog.keeping import KeepingView
from secondhop.stores.catalog.rows import folded, slot_of
from secondhop.stores.keeping import MARKS, Keeping, KeepingChange, Mark
from secondhop.stores.records import Memory
from secondhop.wording import shown


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMemoryDecision:
    """Whether a memory is stored, and what else changes."""

    changes: Sequence[KeepingChange]
    same_as: str = ""
    """Id of a stored memory that says the same; "" if there is none. With one, nothing is
    written."""
    supersedes: Sequence[str] = ()
    superseded_by: str = ""
    """Id of a stored, newer memory that supersedes it; "" if there is none."""
    notice: str = ""
    """A warning for the caller."""


def decide_new(
    memory: Memory,
    view: KeepingView,
    *,
    keeping: Keeping,
    supersedes: Sequence[str],
    at: datetime,
    same_words_since: datetime | None = None,
) -> NewMemoryDecision:
    """Decide whether `memory` is stored, and what else changes.

    Among facts or preferences of one slot, each supersedes the one before it by date, so one that
    is written late takes its place in the past. Continuity supersedes only what `supersedes` names.

    Args:
        same_words_since: continuity in the same words is the same memory if it was written since
            then; if it is older, something happened again. None: it is always another memory.

    Raises:
        UsageError: the id is taken by another text, or a named memory is not stored or was
            superseded by another one.
    """
    known = view.memory(memory.memory_id)
    if known is not None:
        if known.content_hash == replace(memory, created_at=known.created_at).content_hash:
            return repeating(known, view, keeping=keeping, supersedes=supersedes, at=at)
        raise UsageError(
            f"memory {memory.memory_id!r} says something else already; update it, "
            f"or give the new one another id"
        )
    place = place_of(memory, view, supersedes=supersedes)
    if not supersedes:
        same = place.same or said_again(memory, view, keeping=keeping, since=same_words_since)
        if same:
            return repeating(same[0], view, keeping=keeping, supersedes=(), at=at)
    decision = entered(memory, view, place, keeping=keeping, at=at, named=supersedes)
    notices = [unlike(existing(old, view), memory) for old in supersedes]
    if later := place.later:
        day = f"{later.created_at:%Y-%m-%d}"
        notices.append(f"it is an earlier value: that of {later.memory_id} is of {day}")
    return replace(decision, notice="; ".join(filter(None, notices)))


def repeating(
    known: Memory,
    view: KeepingView,
    *,
    keeping: Keeping,
    supersedes: Sequence[str],
    at: datetime,
) -> NewMemoryDecision:
    """The decision to store nothing, with a notice of what was asked for and does not happen."""
    memory_id, held = known.memory_id, view.keeping(known.memory_id)
    notices: list[str] = []
    if (end := held.end(now=at)) is not None:
        notices.append(f"{memory_id} is stored, but no longer holds: {end.describe()}; restore it")
    usual = Keeping()
    kept = [
        name
        for name, asked, default, own in (
            ("expiry", keeping.valid_until, usual.valid_until, held.valid_until),
            ("salience", keeping.salience, usual.salience, held.salience),
            ("mark", keeping.mark, usual.mark, held.mark),
        )
        if asked not in (default, own)
    ]
    if kept:
        notices.append(f"{memory_id} keeps its {' and '.join(kept)}; update it to change that")
    others = [existing(one, view).memory_id for one in supersedes if one != memory_id]
    done = [one for one in others if view.keeping(one).superseded_by == memory_id]
    if left := [one for one in others if one not in done]:
        notices.append(f"{memory_id} is stored already and did not supersede {', '.join(left)}")
    return NewMemoryDecision(
        changes=(), same_as=memory_id, supersedes=done, notice="; ".join(notices)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The place of a memory among those that are stored."""

    held: Sequence[Memory]
    """Facts or preferences of its slot that were valid at its date."""
    same: Sequence[Memory]
    """Those in `held` that say the same."""
    replaced: Sequence[str]
    """Ids of the memories that it supersedes: those in `held` and those that were named."""
    later: Memory | None
    """The memory of its slot that supersedes it: the next one by date; None if there is none."""


def place_of(memory: Memory, view: KeepingView, *, supersedes: Sequence[str] = ()) -> Place:
    """The place of a memory, by its slot and its date."""
    rivals = [
        one for one in view.rivals(memory) if view.keeping(one.memory_id).deprecated_at is None
    ]
    held = [rival for rival in rivals if holds_at(rival, memory.created_at, view)]
    replaced = list(dict.fromkeys([*(rival.memory_id for rival in held), *supersedes]))
    return Place(
        held=held,
        same=[rival for rival in held if says_the_same(rival, memory)],
        replaced=replaced,
        later=successor_among(rivals, memory, view, replaced=replaced),
    )


def entered(
    memory: Memory,
    view: KeepingView,
    place: Place,
    *,
    keeping: Keeping,
    at: datetime,
    named: Sequence[str] = (),
    detail: str = "",
    reason: str = "",
) -> NewMemoryDecision:
    """The decision to write a memory at its place.

    Args:
        named: ids of the memories that it supersedes because the caller says so.
        detail: for its own history.
        reason: for the histories of the memories that it supersedes.

    Raises as `existing` and `superseding` do for the named memories.
    """
    own = keeping
    if place.later is not None:
        since, later_id = place.later.created_at, place.later.memory_id
        own = replace(keeping, superseded_at=since, superseded_by=later_id)
    first = KeepingChange(
        memory_id=memory.memory_id, keeping=own, act="remembered", at=at, detail=detail
    )
    others = [
        superseding(
            existing(old, view), memory, view, at=at, reason=reason, relink=old not in named
        )
        for old in place.replaced
    ]
    return NewMemoryDecision(
        changes=[first, *others], supersedes=place.replaced, superseded_by=own.superseded_by
    )


def successor_among(
    rivals: Sequence[Memory], memory: Memory, view: KeepingView, *, replaced: Iterable[str]
) -> Memory | None:
    """The rival that supersedes a memory that is written late: the next one by date, or None.

    A rival is skipped if its chain of successors leads to a memory that this one replaces: they
    would supersede one another, and none would be valid.
    """
    gone = set(replaced)
    later = (rival for rival in rivals if rival.created_at > memory.created_at)
    return next(
        (rival for rival in later if gone.isdisjoint(successors_of(rival.memory_id, view))), None
    )


def unlike(old: Memory, new: Memory) -> str:
    """A warning if a fact replaces one with another subject or attribute; usually ""."""
    if not old.kind == new.kind == "factual" or slot_of(old) == slot_of(new):
        return ""
    return (
        f"{old.memory_id} was {old.subject}: {old.attribute}, but {new.memory_id} is "
        f"{new.subject}: {new.attribute}; if that is a mistake, restore {old.memory_id}"
    )


def holds_at(memory: Memory, moment: datetime, view: KeepingView) -> bool:
    """Whether a memory was written by this moment, and was valid then."""
    keeping = view.keeping(memory.memory_id)
    return memory.created_at <= moment and keeping.end(now=moment, as_of=moment) is None


def said_again(
    memory: Memory, view: KeepingView, *, keeping: Keeping, since: datetime | None
) -> list[Memory]:
    """Valid continuity with the same words, title and source, written at `since` or later.

    With another mark, expiry or salience it does not count. [] if `since` is None.
    """
    if memory.kind != "continuity" or since is None:
        return []
    return [
        other
        for other in view.namesakes(memory, since=since)
        if since <= other.created_at
        and says_the_same(other, memory)
        and holds_at(other, memory.created_at, view)
        and keeping == view.keeping(other.memory_id)
    ]


def says_the_same(one: Memory, other: Memory) -> bool:
    """Whether two memories of one slot or title have the same value (facts) or the same words."""
    if one.kind == "factual":
        return folded(one.value) == folded(other.value)
    return [message.content for message in one.messages] == [
        message.content for message in other.messages
    ]


def superseding(
    old: Memory, new: Memory, view: KeepingView, *, at: datetime, reason: str = "", relink: bool
) -> KeepingChange:
    """The change by which `new` supersedes `old`, from the later of their dates on.

    If another memory has superseded `old` already, that is a UsageError, unless `relink` allows it.
    """
    keeping = view.keeping(old.memory_id)
    taken = keeping.superseded_by
    if taken and taken != new.memory_id and not relink:
        raise UsageError(
            f"memory {old.memory_id!r} was superseded by {taken!r} already; "
            f"supersede that one, or restore {old.memory_id!r} first"
        )
    since = max(old.created_at, new.created_at)
    return KeepingChange(
        memory_id=old.memory_id,
        keeping=replace(keeping, superseded_at=since, superseded_by=new.memory_id),
        act="superseded",
        at=at,
        other_id=new.memory_id,
        detail=reason,
    )


def existing(memory_id: str, view: KeepingView) -> Memory:
    """The memory of this id. Raises UsageError if it is not stored, or the id is not valid."""
    check_id(memory_id)
    memory = view.memory(memory_id)
    if memory is None:
        raise NotStoredError(
            f"no memory {memory_id!r} is stored for this entity",
            cure="the answer of a recall and `secondhop list WORDS` show the ids",
        )
    return memory


def supersede(
    old_id: str, new_id: str, view: KeepingView, *, at: datetime, reason: str
) -> Sequence[KeepingChange]:
    """The change by which `new_id` supersedes `old_id`; () if it already does.

    Raises:
        UsageError: one is not stored, they are the same, another one has superseded `old_id`, or
            `old_id` has superseded `new_id`, directly or through others.
    """
    old, new = existing(old_id, view), existing(new_id, view)
    if old_id == new_id:
        raise UsageError(
            f"memory {old_id!r} cannot replace itself; name the one that replaces it, or "
            f"deprecate {old_id!r} if nothing does"
        )
    if view.keeping(old_id).superseded_by == new_id:
        return ()
    if old_id in successors_of(new_id, view):
        raise UsageError(
            f"memory {new_id!r} was itself superseded by {old_id!r} in the end; restore it first"
        )
    return [superseding(old, new, view, at=at, reason=reason, relink=False)]


def successors_of(memory_id: str, view: KeepingView) -> list[str]:
    """Ids of the memory itself, of the one that superseded it, of the one that superseded that, …

    If they supersede one another in a circle, as in old stores, each occurs once.
    """
    chain = [memory_id]
    while (following := view.keeping(chain[-1]).superseded_by) and following not in chain:
        chain.append(following)
    return chain


def deprecate(
    memory_id: str, reason: str, view: KeepingView, *, at: datetime
) -> Sequence[KeepingChange]:
    """The change that makes a memory invalid from `at` on; () if it is, for the same reason."""
    existing(memory_id, view)
    keeping = view.keeping(memory_id)
    if keeping.deprecated_at is not None and keeping.deprecated_because == reason:
        return ()
    since = keeping.deprecated_at or at
    new = replace(keeping, deprecated_at=since, deprecated_because=reason)
    return [KeepingChange(memory_id=memory_id, keeping=new, act="deprecated", at=at, detail=reason)]


def restore(memory_id: str, view: KeepingView, *, at: datetime) -> Sequence[KeepingChange]:
    """The change that makes a memory valid again, whatever ended it; () if it is valid.

    The memory that superseded it stays valid, too.
    """
    existing(memory_id, view)
    keeping = view.keeping(memory_id)
    end = keeping.end(now=at)
    if end is None:
        return ()
    expired = keeping.valid_until is not None and keeping.valid_until <= at
    new = Keeping(
        salience=keeping.salience,
        valid_until=None if expired else keeping.valid_until,
        mark=keeping.mark,
    )
    return [
        KeepingChange(
            memory_id=memory_id,
            keeping=new,
            act="restored",
            at=at,
            other_id=keeping.superseded_by,
            detail=f"was {end.how}",
        )
    ]


def change(
    memory_id: str,
    view: KeepingView,
    *,
    at: datetime,
    valid_until: datetime | Literal[""] | None,
    salience: float | None,
    mark: Mark | None,
) -> Sequence[KeepingChange]:
    """The change of expiry, salience or mark; () if nothing is new.

    None leaves a value as it is, and "" removes an expiry or a mark.
    """
    existing(memory_id, view)
    keeping = view.keeping(memory_id)
    new = replace(
        keeping,
        valid_until=keeping.valid_until if valid_until is None else valid_until or None,
        salience=keeping.salience if salience is None else checked_salience(salience),
        mark=keeping.mark if mark is None else checked_mark(mark),
    )
    if new == keeping:
        return ()
    details: list[str] = []
    if valid_until is not None:
        ends = f"valid until {valid_until.isoformat()}" if valid_until else "no longer expires"
        details.append(ends)
    if salience is not None:
        details.append(f"salience {salience:g}")
    if mark is not None:
        details.append(f"marked {mark}" if mark else "no longer marked")
    return [
        KeepingChange(
            memory_id=memory_id, keeping=new, act="changed", at=at, detail=", ".join(details)
        )
    ]


def checked_salience(salience: object) -> float:
    """The salience; the neutral one for None. Raises UsageError if it is not in 0..1."""
    if salience is None:
        return Keeping().salience
    if not isinstance(salience, int | float) or isinstance(salience, bool):
        raise UsageError(f"salience must be a number (float), not {shown(salience)}")
    if not 0 <= salience <= 1:
        raise UsageError(f"salience must lie in 0..1, not {salience}")
    return salience


def checked_mark(mark: Mark) -> Mark:
    """The mark. Raises UsageError if it is not one of `MARKS`."""
    if mark not in MARKS:
        raise UsageError(f'a mark is "core", "open" or "" for none, not {mark!r}')
    return mark

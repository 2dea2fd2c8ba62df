"""Builds the memory to store from words, a fact or a preference."""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TypeAlias

from secondhop.clean_text import is_blank
from secondhop.errors import UsageError
from secondhop.given_values import check_id, check_rememberable, check_storable, tags_given
from secondhop.ingest.cleaning import clean_memory, says_nothing
from secondhop.memories.records import Fact, Kept, Preference
from secondhop.moments import in_utc
from secondhop.stores.keeping import Keeping
from secondhop.stores.records import Memory, Message
from secondhop.stores.titles import first_words

Rememberable: TypeAlias = str | Fact | Preference
"""Words, a fact, or a preference."""

CLOCKS_DIFFER = timedelta(days=1)
"""A date that is later than now by more is said to be in the future. Time zones that were mistaken
for UTC differ by less."""


def rememberable(
    text: str, *, subject: str | None, attribute: str | None, scope: str | None, topic: str
) -> Rememberable:
    """A fact if subject and attribute are given, a preference if a scope is, else the words.

    Raises:
        UsageError: half of a fact, a fact and a preference at once, or a topic without a scope.
    """
    if (subject is None) != (attribute is None):
        raise UsageError("a fact needs both a subject and an attribute; the text is its value")
    if subject is not None and attribute is not None:
        if scope is not None or topic:
            raise UsageError("a memory is a fact (subject) or a preference (scope), not both")
        return Fact(subject=subject, attribute=attribute, value=text)
    if scope is not None:
        return Preference(text=text, scope=scope, topic=topic)
    if topic:
        raise UsageError("a topic belongs to a preference; give its scope as well")
    return text


def new_memory(
    what: Rememberable,
    *,
    title: str,
    at: datetime,
    tags: Sequence[str],
    memory_id: str | None,
) -> Memory:
    """As `memory_from`, from what a program gives; without `memory_id` it gets a new id."""
    check_rememberable(what)
    check_storable(title, name="title")
    if memory_id is not None:
        check_id(memory_id)
    memory = memory_from(what, title=title, at=at, memory_id=memory_id or new_id_of(what))
    return replace(memory, tags=tags_given(tags))


def memory_from(what: Rememberable, *, title: str, at: datetime, memory_id: str) -> Memory:
    """The memory to store. Raises UsageError if its text or another part is empty."""
    match what:
        case Fact():
            fact = Fact(
                subject=spaced(what.subject, "the subject of a fact"),
                attribute=spaced(what.attribute, "the attribute of a fact"),
                value=spaced(what.value, "the value of a fact"),
            )
            given = Memory(
                memory_id=memory_id,
                title=title or f"{fact.subject}: {fact.attribute}",
                source="fact",
                created_at=at,
                messages=(Message("user", fact.text),),
                kind="factual",
                subject=fact.subject,
                attribute=fact.attribute,
                value=fact.value,
            )
        case Preference():
            given = Memory(
                memory_id=memory_id,
                title=title or what.topic or "Preference",
                source="preference",
                created_at=at,
                messages=(Message("user", spaced(what.text, "a preference")),),
                kind="preferential",
                subject=" ".join(what.topic.split()),
                scope=spaced(what.scope, "the scope of a preference"),
            )
        case str():
            given = Memory(
                memory_id=memory_id,
                title=title or first_words(what),
                source="note",
                created_at=at,
                messages=(Message("user", what),),
            )
    memory = clean_memory(given)
    if says_nothing(memory):
        raise UsageError("there is nothing to remember: the text is empty")
    return memory


def reworded(old: Memory, what: Rememberable) -> Rememberable:
    """The new version of `old`: words become a fact's new value, or a preference's new text."""
    if not isinstance(what, str):
        return what
    match old.kind:
        case "factual":
            return Fact(subject=old.subject, attribute=old.attribute, value=what)
        case "preferential":
            return Preference(text=what, scope=old.scope, topic=old.subject)
        case "continuity":
            return what


def given_title(old: Memory) -> str:
    """The title that a new version keeps; "" if the old one was called by its words or names."""
    is_own = old.kind == "continuity" and old.title != first_words(old.text)
    return old.title if is_own else ""


def spaced(text: str, name: str) -> str:
    """The text with single spaces. Raises UsageError if it is empty."""
    if is_blank(text):
        raise UsageError(f"{name} is empty")
    return " ".join(text.split())


def new_id_of(what: Rememberable) -> str:
    """A new, unique id. Its first letter shows the kind."""
    letter = "f" if isinstance(what, Fact) else "p" if isinstance(what, Preference) else "c"
    return f"{letter}-{uuid.uuid4().hex[:12]}"


def same_words_since(moment: datetime, *, given: bool) -> datetime:
    """Since when a continuity memory in the same words is the same memory, not another event.

    `moment` itself if the caller gave it, else the beginning of its day in UTC.
    """
    return moment if given else moment.replace(hour=0, minute=0, second=0, microsecond=0)


def future_notice(memory: Memory, *, now: datetime) -> str:
    """A warning if the memory is dated more than a day in the future; else ""."""
    if memory.created_at <= in_utc(now) + CLOCKS_DIFFER:
        return ""
    day = f"{memory.created_at:%Y-%m-%d}"
    older = "" if memory.kind == "continuity" else "; what is said before then is an older value"
    return f"{memory.memory_id} is dated in the future ({day}){older}"


def expired_notice(kept: Kept, keeping: Keeping, *, now: datetime) -> str:
    """A warning if the memory that was stored had already expired; else ""."""
    until = keeping.valid_until
    if until is None or until > now or kept.done == "unchanged":
        return ""
    return (
        f"recall will not return it, because it already expired on {until:%Y-%m-%d %H:%M} UTC; "
        f"restoring {kept.memory_id} removes that date"
    )

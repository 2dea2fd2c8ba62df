"""The versions and the history of a memory, and facts by their names."""

from collections.abc import Iterable
from datetime import datetime

from secondhop.memories.records import MemoryHistory, PastEvent, StoredCue, StoredFact, Version
from secondhop.stores.catalog.cues import of_memories
from secondhop.stores.catalog.keeping import KeepingView
from secondhop.stores.catalog.rows import folded
from secondhop.stores.records import Memory


def history_of(memory_id: str, view: KeepingView, *, now: datetime) -> MemoryHistory:
    """All memories that supersession links to this one, with earlier texts, events and cues."""
    found = [memory for i in chain_of(memory_id, view) if (memory := view.memory(i)) is not None]
    found.sort(key=lambda memory: (memory.created_at, memory.memory_id))
    events = [event for memory in found for event in events_of(memory, view)]
    cues = of_memories(view.connection, [memory.memory_id for memory in found])
    return MemoryHistory(
        memory_id=memory_id,
        versions=[version for one in found for version in versions_of(one, view, now=now)],
        events=sorted(events, key=lambda event: event.at),
        cues=[StoredCue.of(cue) for one in found for cue in cues.get(one.memory_id, ())],
    )


def chain_of(memory_id: str, view: KeepingView) -> list[str]:
    """Ids of all memories that supersession links to this one, itself first."""
    chain: dict[str, None] = {}
    waiting = [memory_id]
    while waiting:
        one = waiting.pop()
        if one and one not in chain:
            chain[one] = None
            waiting += [view.keeping(one).superseded_by, *view.superseded_by(one)]
    return list(chain)


def events_of(memory: Memory, view: KeepingView) -> Iterable[PastEvent]:
    """When a memory was written, when its text was replaced, and what was done to it."""
    yield PastEvent(memory_id=memory.memory_id, at=memory.created_at, act="written")
    for text in view.earlier_texts(memory.memory_id):
        yield PastEvent(
            memory_id=memory.memory_id,
            at=text.replaced_at,
            act="replaced",
            detail=text.replaced_by,
        )
    for entry in view.history(memory.memory_id):
        yield PastEvent.model_validate(entry, from_attributes=True)


def versions_of(memory: Memory, view: KeepingView, *, now: datetime) -> Iterable[Version]:
    """The earlier texts of a memory, oldest first, and then its current text."""
    present = version_of(memory, view, now=now)
    for text in view.earlier_texts(memory.memory_id):
        by = f" by {text.replaced_by}" if text.replaced_by else ""
        yield present.model_copy(
            update={
                "kind": text.memory.kind,
                "title": text.memory.title,
                "text": text.memory.transcript,
                "created_at": text.memory.created_at,
                "end": f"replaced on {text.replaced_at:%Y-%m-%d}{by}",
                "end_at": text.replaced_at,
                "replaced_at": text.replaced_at,
                "replaced_by": text.replaced_by,
            }
        )
    yield present


def version_of(memory: Memory, view: KeepingView, *, now: datetime) -> Version:
    """A memory as it is, and whether it is valid."""
    keeping = view.keeping(memory.memory_id)
    end = keeping.end(now=now)
    return Version(
        memory_id=memory.memory_id,
        kind=memory.kind,
        title=memory.title,
        text=memory.transcript,
        created_at=memory.created_at,
        valid_until=keeping.valid_until,
        salience=keeping.salience,
        mark=keeping.mark,
        tags=memory.tags,
        end=end.describe() if end else "",
        end_at=end.at if end else None,
    )


def facts_in(
    view: KeepingView,
    subject: str | None,
    attribute: str | None,
    *,
    as_of: datetime | None,
    now: datetime,
) -> list[StoredFact]:
    """Facts that are valid, or were at `as_of`, newest first; None is any subject or attribute."""
    if subject is None or attribute is None:
        facts = view.of_kind("factual")
    else:
        facts = view.facts_named(subject, attribute)
    return [
        StoredFact(
            memory_id=memory.memory_id,
            subject=memory.subject,
            attribute=memory.attribute,
            value=memory.value,
            since=memory.created_at,
        )
        for memory in reversed(facts)
        if (subject is None or folded(subject) == folded(memory.subject))
        and (attribute is None or folded(attribute) == folded(memory.attribute))
        and (as_of is None or memory.created_at <= as_of)
        and view.keeping(memory.memory_id).end(now=now, as_of=as_of) is None
    ]

"""Makes statements: readings with the memories that they would become."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256

from secondhop.clean_text import clean_text
from secondhop.graph.result import ConflictingMemory
from secondhop.memories.building import Rememberable, memory_from
from secondhop.memories.records import Fact, Preference
from secondhop.memories.rules import says_the_same
from secondhop.observe.draft import Draft, DraftView
from secondhop.observe.messages import Heard, SeenWords, came_of, source_note
from secondhop.observe.port import Reading
from secondhop.observe.records import Observation, ReplacedMemory, SourceSpan
from secondhop.observe.rules import TAKEN_BACK, Judgement, Statement
from secondhop.stores.catalog.keeping import KeepingView
from secondhop.stores.catalog.rows import folded, slot_of
from secondhop.stores.records import Message


def seen_before(
    statements: Sequence[Statement],
    seen: Sequence[SeenWords],
    draft: Draft,
    view: KeepingView,
    *,
    anew: bool,
) -> list[Statement]:
    """The statements of one message under their final ids, with `seen_as` set if their words were
    observed before.

    An earlier memory from the same words that says the same counts first. Otherwise any remaining
    one counts, because a model may word the same thing differently; not one that says the same as
    another statement, because a process may have ended after it had written only some of them.

    Args:
        anew: the message may have been said again. Then memories from its words that another
            message has superseded since do not count, so the statement is written again.
    """
    under = DraftView(view, draft)
    if anew:
        gone = outdated(seen, under)
        seen = [earlier for earlier in seen if earlier.memory_id not in gone]
    same = [same_words(statement, seen, under) for statement in statements]
    rest = [earlier for earlier in seen if earlier.memory_id not in same]
    found: list[Statement] = []
    for statement, own in zip(statements, same, strict=True):
        seen_as = own or came_of(statement.reading.span, rest)
        if anew and statement.reading.ended:
            seen_as = ""  # ending what has ended does nothing
        found.append(replace(with_free_id(statement, under), seen_as=seen_as))
    return found


def outdated(seen: Sequence[SeenWords], view: KeepingView) -> set[str]:
    """Ids of the memories that other messages have superseded or ended: the superseded ones, except
    those superseded by another one of `seen`, and the ended ones, except those that these words
    ended."""
    ended_here = {earlier.memory_id for earlier in seen if earlier.ended}
    ids = {earlier.memory_id for earlier in seen}
    standing = {memory_id: view.keeping(memory_id) for memory_id in ids}
    return {
        memory_id
        for memory_id, keeping in standing.items()
        if (keeping.superseded_at is not None and keeping.superseded_by not in ids)
        or (keeping.deprecated_because == TAKEN_BACK and memory_id not in ended_here)
    }


def same_words(statement: Statement, seen: Sequence[SeenWords], view: KeepingView) -> str:
    """Id of a memory that came from the same words and says the same, or ""."""
    memory = statement.memory
    for earlier in seen:
        known = view.memory(earlier.memory_id)
        if known is not None and came_of(statement.reading.span, [earlier]):
            alike = known.kind == memory.kind and slot_of(known) == slot_of(memory)
            if alike and says_the_same(known, memory):
                return earlier.memory_id
    return ""


def statement_of(reading: Reading, one: Heard, *, at: datetime) -> Statement:
    """A reading as a statement; an equal reading of an equal message gets the same memory id.

    A note gets the id of its words, so that it is written only once.
    """
    own = [one.digest, reading.kind, reading.subject, reading.attribute, reading.value]
    own += [reading.scope, reading.topic, reading.text]
    if reading.kind == "continuity":
        own = ["note", folded(clean_text(reading.text))]
    memory_id = f"{reading.kind[0]}-{hashed(*own)}"
    memory = memory_from(what_of(reading), title="", at=one.turn.at, memory_id=memory_id)
    if reading.kind == "factual":  # add the original words, so that searches find them
        words_said = " ".join(clean_text(one.turn.content[slice_of(reading)]).split())
        (bare,) = memory.messages
        said = f'{bare.content} Original words: "{words_said}"'
        memory = replace(memory, messages=(Message("user", said),))
    note = source_note(one, reading.span)
    return Statement(reading=reading, memory=memory, source=note, at=at)


def what_of(reading: Reading) -> Rememberable:
    """The reading as an argument of `remember`."""
    match reading.kind:
        case "factual":
            return Fact(subject=reading.subject, attribute=reading.attribute, value=reading.value)
        case "preferential":
            return Preference(text=reading.text, scope=reading.scope, topic=reading.topic)
        case "continuity":
            return reading.text


def with_free_id(statement: Statement, view: KeepingView) -> Statement:
    """The statement, with a new id if its own is that of a memory that has ended."""
    memory, place = statement.memory, statement.reading.span.message
    known = view.memory(memory.memory_id)
    if known is None or view.keeping(known.memory_id).end(now=memory.created_at) is None:
        return statement
    own = hashed(memory.memory_id, memory.created_at.isoformat(), str(place))
    return replace(statement, memory=replace(memory, memory_id=f"{memory.memory_id[0]}-{own}"))


def observation(statement: Statement, judgement: Judgement, one: Heard) -> Observation:
    """What `observe` reports about a statement."""
    reading, memory = statement.reading, judgement.ended or statement.memory
    span = reading.span
    return Observation(
        memory_id=judgement.decision.same_as or memory.memory_id,
        kind=memory.kind,
        text=memory.text,
        subject=memory.subject if memory.kind == "factual" else "",
        attribute=memory.attribute,
        value=memory.value,
        scope=memory.scope,
        topic=memory.subject if memory.kind == "preferential" else "",
        created_at=memory.created_at,
        source=SourceSpan(
            message=span.message,
            start=span.start,
            end=span.end,
            text=one.turn.content[slice_of(reading)],
        ),
        why=judgement.why,
        supersedes=[
            ReplacedMemory(
                memory_id=old.memory_id, text=old.value or old.text, created_at=old.created_at
            )
            for old in judgement.replaced
        ],
        superseded_by=judgement.decision.superseded_by,
        conflicts_with=[
            ConflictingMemory(id=other.memory_id, value=other.value, created_at=other.created_at)
            for other in judgement.beside
        ],
    )


def slice_of(reading: Reading) -> slice:
    """The characters of the reading in its message."""
    return slice(reading.span.start, reading.span.end)


def hashed(*parts: str) -> str:
    """The first twelve hex digits of the SHA-256 of all parts."""
    joined = "\x00".join(parts).encode("utf-8", "surrogatepass")
    return sha256(joined).hexdigest()[:12]

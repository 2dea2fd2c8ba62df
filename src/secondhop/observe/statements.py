"""Statements: what a message says, as the memory it would become."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256

from secondhop.graph.result import ConflictingMemory
from secondhop.ingest.cleaning import clean_text
from secondhop.memories.building import Rememberable, memory_from
from secondhop.memories.records import Fact, Preference
from secondhop.memories.rules import says_the_same
from secondhop.observe.draft import Draft, DraftView
from secondhop.observe.messages import Heard, SeenWords, came_of, source_note
from secondhop.observe.port import Reading, Span
from secondhop.observe.records import Observation, ReplacedMemory, SourceSpan
from secondhop.observe.rules import Judgement, Statement
from secondhop.stores.catalog.keeping import KeepingView
from secondhop.stores.catalog.rows import slot_of
from secondhop.stores.records import Message

NOWHERE = Span(0, 0, 0)
"""For comparing what is said, wherever."""


def said_once(readings: Iterable[Reading]) -> Iterator[Reading]:
    """What one message says, without what it said of the same thing last, in the same way."""
    last: dict[tuple[str, ...], Reading] = {}
    for reading in readings:
        subject = reading.subject, reading.attribute, reading.scope, reading.topic
        about = reading.kind, *subject, "" if reading.kind == "factual" else reading.text
        said = replace(reading, span=NOWHERE)
        if last.get(about) != said:
            yield reading
        last[about] = said


def statements_of(readings: Iterable[Reading], one: Heard, *, at: datetime) -> list[Statement]:
    """What one message says, as the memories it would be."""
    return [statement_of(reading, one, at=at) for reading in readings]


def seen_before(
    statements: Sequence[Statement],
    seen: Sequence[SeenWords],
    draft: Draft,
    view: KeepingView,
    *,
    anew: bool,
) -> list[Statement]:
    """The statements of one message, each with what came of its words earlier.

    That is first what says the same. What is left of the earlier ones may be the same in other
    words of a model; but one that a statement has found already hides no other statement: it was
    written, and the rest was not, when a process ended in between.

    Args:
        anew: the message may be said anew: what came of its words earlier and was superseded since,
            by another message, is said again.
    """
    under = DraftView(view, draft)
    if anew:
        gone = outdated(seen, under)
        seen = [earlier for earlier in seen if earlier.memory_id not in gone]
        statements = [with_new_id(one, gone) for one in statements]
    same = [same_words(statement, seen, under) for statement in statements]
    rest = [earlier for earlier in seen if earlier.memory_id not in same]
    return [
        replace(statement, seen_as=own or came_of(statement.reading.span, rest))
        for statement, own in zip(statements, same, strict=True)
    ]


def outdated(seen: Sequence[SeenWords], view: KeepingView) -> set[str]:
    """Ids of what was superseded, and not by the next words of the same message."""
    ids = {earlier.memory_id for earlier in seen}
    standing = {memory_id: view.keeping(memory_id) for memory_id in ids}
    return {
        memory_id
        for memory_id, keeping in standing.items()
        if keeping.superseded_at is not None and keeping.superseded_by not in ids
    }


def with_new_id(statement: Statement, taken: Collection[str]) -> Statement:
    """The statement under another id, where its own is taken."""
    memory, place = statement.memory, statement.reading.span.message
    if memory.memory_id not in taken:
        return statement
    own = hashed(memory.memory_id, memory.created_at.isoformat(), str(place))
    return replace(statement, memory=replace(memory, memory_id=f"{memory.memory_id[0]}-{own}"))


def same_words(statement: Statement, seen: Sequence[SeenWords], view: KeepingView) -> str:
    """Id of what came of the same words and says the same; "" for none."""
    memory = statement.memory
    for earlier in seen:
        known = view.memory(earlier.memory_id)
        if known is not None and came_of(statement.reading.span, [earlier]):
            alike = known.kind == memory.kind and slot_of(known) == slot_of(memory)
            if alike and says_the_same(known, memory):
                return earlier.memory_id
    return ""


def statement_of(reading: Reading, one: Heard, *, at: datetime) -> Statement:
    """A reading as the memory it would be; of the same words of the same message, the same id."""
    own = [one.digest, reading.kind, reading.subject, reading.attribute, reading.value]
    own += [reading.scope, reading.topic, reading.text]
    memory_id = f"{'o' if reading.kind == 'continuity' else reading.kind[0]}-{hashed(*own)}"
    memory = memory_from(what_of(reading), title="", at=one.turn.at, memory_id=memory_id)
    if reading.kind == "factual":  # beside the bare fact, the words that a search may look for
        words_said = " ".join(clean_text(one.turn.content[slice_of(reading)]).split())
        (bare,) = memory.messages
        said = f'{bare.content} Original words: "{words_said}"'
        memory = replace(memory, messages=(Message("user", said),))
    note = source_note(one, reading.span)
    return Statement(reading=reading, memory=memory, source=note, at=at)


def what_of(reading: Reading) -> Rememberable:
    """As `remember` takes it."""
    match reading.kind:
        case "factual":
            return Fact(subject=reading.subject, attribute=reading.attribute, value=reading.value)
        case "preferential":
            return Preference(text=reading.text, scope=reading.scope, topic=reading.topic)
        case "continuity":
            return reading.text


def with_free_id(statement: Statement, view: KeepingView) -> Statement:
    """A note has the id of its words, so that it is written once; unless that one ended."""
    memory = statement.memory
    if memory.kind != "continuity":
        return statement
    memory_id = f"c-{hashed('note', ' '.join(memory.text.casefold().split()))}"
    known = view.memory(memory_id)
    if known is not None and view.keeping(memory_id).end(now=memory.created_at) is not None:
        return statement
    return replace(statement, memory=replace(memory, memory_id=memory_id))


def observation(statement: Statement, judgement: Judgement, one: Heard) -> Observation:
    """What `observe` reports of a statement."""
    reading, memory = statement.reading, statement.memory
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
    """The characters that say it."""
    return slice(reading.span.start, reading.span.end)


def hashed(*parts: str) -> str:
    """Twelve hex digits of them all."""
    joined = "\x00".join(parts).encode("utf-8", "surrogatepass")
    return sha256(joined).hexdigest()[:12]

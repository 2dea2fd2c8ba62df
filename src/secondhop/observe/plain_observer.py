"""The reader without a model: plain forms, in English, of what people say of themselves."""

from collections.abc import Iterator

from secondhop.observe.plain_forms import is_sure, says_change, what_is_stated
from secondhop.observe.plain_sentences import BLANK, Clause, stated
from secondhop.observe.plain_values import Stated
from secondhop.observe.port import SPEAKER, ObserveRequest, Reading, Readings, Span, Turn
from secondhop.stores.keeping import Kind

_KINDS: dict[str, Kind] = {"fact": "factual", "pref": "preferential", "note": "continuity"}

LONGEST = 20_000
"""Characters of a message that are read; what is longer was pasted."""


class PlainObserver:
    """Finds what is said plainly, and keeps quiet about the rest."""

    observer_id = "plain"

    async def read(self, request: ObserveRequest) -> Readings:
        """What the user's messages state in plain forms."""
        found = [
            reading
            for place, turn in enumerate(request.turns)
            if turn.role == SPEAKER
            for reading in readings_of(place, turn)
        ]
        return Readings(found=found)


def readings_of(place: int, turn: Turn) -> Iterator[Reading]:
    """What one message states, in its order."""
    for clause in stated(turn.content[:LONGEST]):
        for one in what_is_stated(clause.text):
            if BLANK not in one.text:
                yield reading_of(one, clause, place)
            elif one.kind != "fact":  # what was quoted within it belongs to it
                end = clause.start + len(clause.text)
                whole = " ".join(turn.content[clause.start : end].split())
                yield reading_of(one._replace(text=whole), clause, place)


def reading_of(one: Stated, clause: Clause, place: int) -> Reading:
    """With the clause that says it."""
    span = Span(place, clause.start, clause.start + len(clause.text))
    is_fact = one.kind == "fact"
    return Reading(
        kind=_KINDS[one.kind],
        span=span,
        text="" if is_fact else one.text,
        value=one.text if is_fact else "",
        subject=one.subject,
        attribute=one.attribute,
        scope=one.scope,
        topic=one.topic,
        change=says_change(clause.sentence, clause.text),
        sure=is_sure(clause.sentence),
    )

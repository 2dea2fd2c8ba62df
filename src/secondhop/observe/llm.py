"""Reads conversations with a language model, in one call per stretch."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from secondhop.models.llm import StructuredLLM
from secondhop.nodes.budget import Remaining
from secondhop.nodes.llm_call import ModelCall, Refused, affordable_reply, asked_model, tags_for
from secondhop.observe.attributes import ME, attribute_named
from secondhop.observe.port import SPEAKER, Reading, Readings, Span, Turn, in_order
from secondhop.observe.records import DroppedReading
from secondhop.observe.schema import MemoryReply, ObserveReply
from secondhop.observe.sheet import ObserveSheet, observe_sheet
from secondhop.observe.spans import borne_out, located
from secondhop.prompts.quoting import plain_id
from secondhop.prompts.templates import Prompt
from secondhop.ranking.words import words
from secondhop.stores.keeping import ALWAYS
from secondhop.stores.records import Memory

REPLY_TOKENS = 2_000

NAMES_OF_THE_USER = frozenset({"me", "i", "user", "the user", "myself", "speaker", "my"})

NAME_CHARS = 80
"""The most characters of a subject, attribute, scope or topic."""

MOST = 60
"""The most rows of a reply that are read; no stretch of conversation states more."""


class LLMObserver:
    """Reads with a language model; accepts only what the user's own words support."""

    def __init__(self, llm: StructuredLLM, prompts: Mapping[str, Prompt]) -> None:
        self._llm = llm
        self._prompt = prompts["observe"]
        self._tags = tags_for(llm)

    @property
    def model_id(self) -> str:
        """The id of the language model."""
        return self._llm.model_id

    @property
    def observer_id(self) -> str:
        """Names the model and the prompt (name, version and hash)."""
        return f"llm:{self._llm.model_id}:{self._prompt.label}"

    async def read(
        self, turns: Sequence[Turn], known: Sequence[Memory], *, left: Remaining
    ) -> Readings:
        """What one call finds.

        Raises:
            LLMError: the model failed, nothing in its reply was accepted, or no budget is left.
        """
        sheet = self.sheet(turns, known)
        call = ModelCall(
            prompt=sheet.prompt,
            reply_tokens=affordable_reply(left, prompt=sheet.tokens, wanted=REPLY_TOKENS),
            left=left,
        )
        readings, usage = await asked_model(
            self._llm, call, schema=ObserveReply, read=lambda said: readings_in(said, sheet)
        )
        return replace(readings, usage=usage)

    def sheet(self, turns: Sequence[Turn], known: Sequence[Memory]) -> ObserveSheet:
        """The prompt for a stretch of conversation."""
        today = max(turn.at for turn in turns)
        return observe_sheet(turns, known, self._prompt, tags=self._tags, today=today)


def readings_in(reply: ObserveReply, sheet: ObserveSheet) -> Readings:
    """What a reply says. Raises Refused if the messages support nothing that it states."""
    stated, doubted = stated_in(reply, sheet)
    ended, unknown = ended_in(reply, sheet)
    if doubted and not stated and not ended:
        raise Refused("noted only what the user did not say; try a larger model")
    return Readings(found=in_order([*stated, *ended]), dropped=[*doubted, *unknown])


def stated_in(
    reply: ObserveReply, sheet: ObserveSheet
) -> tuple[list[Reading], list[DroppedReading]]:
    """(readings that the messages support; rows that they do not support)."""
    found: list[Reading] = []
    dropped: list[DroppedReading] = []
    for row in reply.memories[:MOST]:
        place = sheet.place(row.message)
        why = fault(row, None if place is None else sheet.turns[place], sheet)
        if why or place is None:
            dropped.append(DroppedReading(text=row.value or row.text or row.quote, why=why))
        else:
            found.append(reading_of(row, place, sheet.turns[place]))
    return found, dropped


def ended_in(
    reply: ObserveReply, sheet: ObserveSheet
) -> tuple[list[Reading], list[DroppedReading]]:
    """The same for what is known and no longer holds."""
    found: list[Reading] = []
    dropped: list[DroppedReading] = []
    for row in reply.ended[:MOST]:
        place, known = sheet.place(row.message), sheet.known.get(plain_id(row.known))
        why = unfounded(row.quote, None if place is None else sheet.turns[place])
        if not why and len(words(row.quote)) < 2:
            why = "one word does not say that something has ended"
        if why or place is None or known is None:
            why = why or "it names nothing that is known"
            dropped.append(DroppedReading(text=row.quote, why=why))
        else:
            found.append(ending_of(known, span_of(row.quote, place, sheet.turns[place])))
    return found, dropped


def unfounded(quote: str, turn: Turn | None) -> str:
    """Why a row cannot count for this message; "" if it can."""
    if turn is None:
        return "it names no message of this conversation"
    if turn.role != SPEAKER:
        return "the user did not say it"
    return "" if located(quote, turn.content) else "the quoted words are not in the message"


def fault(row: MemoryReply, turn: Turn | None, sheet: ObserveSheet) -> str:
    """Why a row is not accepted; "" if it is."""
    why = unfounded(row.quote, turn)
    if why or turn is None:
        return why
    names = f"{row.subject}\n{row.attribute}\n{row.scope}\n{row.topic}"
    stated = row.value if row.kind == "fact" else row.text or row.quote
    if sheet.tag in f"{names}\n{stated}".casefold():
        return "it is about the model call, not about the user"
    nameless = row.kind == "fact" and not (row.subject and row.attribute)
    if row.kind == "none" or not stated or nameless:
        return "it is neither a fact nor a preference nor a note"
    if any(len(name) > NAME_CHARS for name in names.split("\n")):
        return "one of its names is a whole sentence"
    if not borne_out(stated, turn.content):
        return "the message does not say so"
    return ""


def span_of(quote: str, place: int, turn: Turn) -> Span:
    """The characters of a quote that its message contains."""
    return Span(place, *(located(quote, turn.content) or (0, 0)))


def ending_of(known: Memory, span: Span) -> Reading:
    """The reading that ends a known fact or preference."""
    bare = Reading(kind=known.kind, span=span, ended=True)
    if known.kind == "preferential":
        return replace(bare, text=known.text, scope=known.scope, topic=known.subject)
    return replace(bare, subject=known.subject, attribute=known.attribute, value=known.value)


def reading_of(row: MemoryReply, place: int, turn: Turn) -> Reading:
    """The reading of an accepted row."""
    changed = located(row.change, turn.content)
    bare = Reading(
        kind="continuity",
        span=span_of(row.quote, place, turn),
        change="" if changed is None else turn.content[changed[0] : changed[1]],
        sure=row.sure,
    )
    match row.kind:
        case "fact":
            attribute = attribute_named(row.attribute)
            subject = ME if row.subject.casefold() in NAMES_OF_THE_USER else row.subject
            return replace(
                bare, kind="factual", subject=subject, attribute=attribute, value=row.value
            )
        case "preference":
            return replace(
                bare,
                kind="preferential",
                text=row.text or row.quote,
                scope=row.scope or ALWAYS,
                topic=row.topic,
            )
        case _:
            return replace(bare, text=row.text or row.quote)

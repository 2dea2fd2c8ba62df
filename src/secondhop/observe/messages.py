"""Checks and dates the messages of a caller, and recognises them by a hash."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, cast

from secondhop.errors import UsageError
from secondhop.given_values import check_moments
from secondhop.ingest.dates import parse_date
from secondhop.ingest.json_text import Json
from secondhop.ingest.jsonl import OTHER_NAMES, text_said
from secondhop.moments import in_utc
from secondhop.observe.port import SPEAKER, Span, Turn
from secondhop.observe.records import Said, Sayable
from secondhop.stores.keeping import SAID_IN
from secondhop.wording import shown

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

_USERS: Final = frozenset({"user", "human", "me"})
_NOTED: Final = re.compile(rf"{SAID_IN}(\w+), characters (\d+)-(\d+)(; ended)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One message, ready to be read."""

    turn: Turn
    digest: str
    """Hash of role, content and given date; equal messages have equal digests."""
    dated: bool
    """Whether this message or an earlier one was given with a date."""


def heard(messages: Sequence[Sayable], *, now: datetime) -> list[Heard]:
    """The messages in order; one without a date gets the date of the one before it, else `now`.

    Raises:
        UsageError: this is no list, or a message has no role or content, or an invalid date.
    """
    check_listed(messages)
    found: list[Heard] = []
    at, dated = now, False
    for place, given in enumerate(messages):
        said = given if isinstance(given, Said) else said_in(as_mapping(given), place)
        check_moments(**{f"the date of message {place + 1}": said.at})
        own = None if said.at is None else in_utc(said.at)
        at, dated = own or at, dated or own is not None
        role = said.role.strip().casefold()
        role = SPEAKER if role in _USERS else OTHER_NAMES.get(role, role)
        parts = json.dumps([role, said.content, own.isoformat() if own else ""])
        digest = sha256(parts.encode()).hexdigest()[:16]
        turn = Turn(role=role, content=said.content, at=at)
        found.append(Heard(turn=turn, digest=digest, dated=dated))
    return found


def check_listed(given: object) -> None:
    """Raises UsageError unless the value is a sequence of something."""
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise UsageError(
            f'`observe` takes a list of messages, {{"role": "user", "content": "…"}} each, '
            f"not {shown(given)}"
        )


def as_mapping(given: "Mapping[str, Any] | BaseMessage") -> Mapping[str, Any]:
    """A LangChain message as a mapping; anything else unchanged."""
    kind: object = getattr(given, "type", None)
    if isinstance(given, Mapping) or not isinstance(kind, str) or not hasattr(given, "content"):
        return cast(Mapping[str, Any], given)
    role = getattr(given, "role", kind.removesuffix("MessageChunk"))  # ChatMessage names its role
    content: object = given.content
    if isinstance(content, list):
        parts = cast(list[Json], content)
        content = [{"text": part} if isinstance(part, str) else part for part in parts]
    return {"role": role, "content": content}


def said_in(given: Mapping[str, Any], place: int) -> Said:
    """A message from a mapping; raises as `heard`."""
    name = f"message {place + 1}"
    if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - callers
        raise UsageError(f'{name} is not an object with "role" and "content", but {given!r:.60}')
    role, content, at = given.get("role"), given.get("content"), given.get("at")
    if not isinstance(role, str) or not role.strip():
        raise UsageError(f'{name} has no "role"; give "user" or "assistant"')
    text = content_of(content, role)
    if text is None:
        raise UsageError(f'{name} has no "content" that is text, or a list of text parts')
    if at is None or at == "":
        return Said(role=role.strip(), content=text)
    moment = parse_date(at)
    if moment is None:
        raise UsageError(
            f'{name} has an "at" that is not a date: {at!r:.60}; write 2026-03-01T09:00Z, '
            f"or leave it out"
        )
    return Said(role=role.strip(), content=text, at=moment)


def content_of(content: object, role: str) -> str | None:
    """The text of a message or of its parts; "" for a tool call; None for anything else."""
    if isinstance(content, str):
        return content
    if content is None and role.strip().casefold() not in _USERS:
        return ""
    if not isinstance(content, list):
        return None
    parts = cast(list[Json], content)
    return text_said(parts) if all(isinstance(part, dict) for part in parts) else None


def source_note(one: Heard, span: Span) -> str:
    """The note, in a memory's history, of the message and characters that it came from."""
    return f"{SAID_IN}{one.digest}, characters {span.start}-{span.end}"


@dataclass(frozen=True, slots=True)
class SeenWords:
    """Characters of a message, and the memory that came from them."""

    memory_id: str
    start: int
    end: int
    ended: bool = False
    """These words ended the memory."""


def seen_words(notes: Sequence[tuple[str, str]]) -> dict[str, list[SeenWords]]:
    """{digest of a message: the memories that came from it}, from pairs of (memory id, note)."""
    seen: dict[str, list[SeenWords]] = {}
    for memory_id, note in notes:
        if found := _NOTED.match(note):
            words = SeenWords(memory_id, int(found[2]), int(found[3]), bool(found[4]))
            seen.setdefault(found[1], []).append(words)
    return seen


def maybe_said_anew(said: Sequence[Heard], seen: Collection[str]) -> set[int]:
    """Indices of messages that may have been said again, though they equal earlier ones.

    These are user messages without a date: the newest one, and those whose digests are not in
    `seen`, the messages observed before this call.
    """
    own = [place for place, one in enumerate(said) if one.turn.role == SPEAKER]
    new = [place for place in own if place == own[-1] or said[place].digest not in seen]
    return {place for place in new if not said[place].dated}


def came_of(span: Span, words: Sequence[SeenWords]) -> str:
    """Id of the first memory that came from overlapping characters; "" if there is none."""
    met = (one.memory_id for one in words if one.start < span.end and span.start < one.end)
    return next(met, "")

"""Plain text: a transcript in one of seven common layouts, a journal, or a note."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from secondhop.ingest.chat_stamps import CLOCK, moments_of
from secondhop.ingest.dates import date_in
from secondhop.ingest.journal import ONE_MEMORY, journal_in
from secondhop.ingest.reading import Document, Found, Skipped
from secondhop.stores.records import Memory, Message

SILENCE = timedelta(hours=6)
"""After so long without a message, the next one begins another conversation: a chat that goes on
for years is not one memory."""

_DAY = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_NAME = r"(?P<name>[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,2})"
_ROLES = (
    "user|human|me|you|assistant|ai|bot|chatgpt|gpt|claude|gemini|copilot|perplexity|mistral|"
    "le chat|deepseek|grok|model|system"
)
_SHAPES = (
    re.compile(rf"\*{{0,2}}(?P<name>(?i:{_ROLES}))\*{{0,2}}\s?:\*{{0,2}}\s?(?P<text>.*)"),
    re.compile(r"\[(?P<stamp>\d[^\]]{3,39})\]\s?(?:(?P<name>[^:]{1,60}): ?)?(?P<text>.*)"),
    re.compile(rf"(?P<name>[^:()]{{1,60}}?) \((?P<stamp>(?:{_DAY},? )?{CLOCK})\): ?(?P<text>.*)"),
    re.compile(rf"(?P<stamp>{_DAY},? {CLOCK}) [-–] (?:(?P<name>[^:]{{1,60}}): ?)?(?P<text>.*)"),
    re.compile(
        rf"(?P<stamp>{_DAY}(?:,? |T){CLOCK}(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?) {_NAME}: ?(?P<text>.*)"
    ),
)
_FAINT_SHAPES = (
    re.compile(rf"(?P<stamp>{CLOCK}) {_NAME}: (?P<text>.*)"),
    re.compile(r"(?:\[?(?P<stamp>[\d:]{4,8})\]? )?<(?P<name>[^<>/]{1,40})> (?P<text>.*)"),
    re.compile(rf"{_NAME}: +(?P<text>\S.*)"),
)
"""Notes have such lines too ("10:00 Lunch: soup", "Serves: 4"): `_is_talk` says what they need."""
_INVISIBLE = re.compile("[\u200e\u200f\u202a-\u202e\ufeff]")
_NARROW_SPACES = str.maketrans("\u202f\u00a0", "  ")
_USER_NAMES = frozenset({"user", "human", "me", "you"})
_ASSISTANT_NAMES = frozenset(_ROLES.split("|")) - _USER_NAMES - {"system"}


@dataclass(slots=True)
class _Turn:
    name: str
    stamp: str = ""
    lines: list[str] = field(default_factory=lambda: [])


@dataclass(slots=True)
class _Part:
    """A conversation, or an entry of a journal."""

    at: datetime | None
    messages: list[Message]


def read_transcript(document: Document, *, asked: bool = False) -> Iterator[Found | Skipped]:
    """The conversations of the file, or the entries of a journal, or one note.

    Of several memories in a file, each has its day as its anchor, and entries of a journal have it
    in the title, too. Conversations of one file have no title: a name that they share would make
    their vectors alike.

    `asked`: the user said that it is a transcript, so any two lines with a speaker make it one, and
    a file without them is named.
    """
    if not document.text.strip():
        yield Skipped(document.item, "an empty file")
        return
    talks = _conversations(_turns(document.text, asked=asked))
    if asked and not talks:
        reason = "no two lines of it begin with a speaker or a time; it was read as a note"
        yield Skipped(document.item, reason, is_notice=True)
    journal = journal_in("" if talks else document.text)
    nobodys = journal.notice == ONE_MEMORY and document.suffix == ".log"
    if journal.notice and not nobodys:
        yield Skipped(document.item, journal.notice, is_notice=True)
    parts = talks or [_Part(at, [Message("user", one)]) for at, one in journal.entries]
    for part in parts:
        day = f"{part.at:%Y-%m-%d}" if part.at else ""
        title = document.stem
        if day and len(parts) > 1:
            title = "" if talks else f"{title}: {day}"
        memory = Memory(
            memory_id=document.path,
            title=title,
            source="conversation" if talks else "note",
            created_at=part.at or date_in(document.name) or document.modified_at,
            messages=tuple(part.messages),
            origin=document.origin,
        )
        yield Found(
            memory=memory, item=document.item, named_by_path=True, anchor=day, begins=part.at
        )


def _conversations(turns: list[_Turn]) -> list[_Part]:
    """The messages, cut where nobody spoke for longer than `SILENCE`."""
    parts: list[_Part] = []
    last: datetime | None = None
    for turn, at in zip(turns, moments_of([turn.stamp for turn in turns]), strict=True):
        text = "\n".join(turn.lines).strip()
        if not turn.name or not text:
            continue
        if not parts or (at and last and abs(at - last) > SILENCE):
            parts.append(_Part(at, []))
        parts[-1].at = parts[-1].at or at
        parts[-1].messages.append(Message(_role(turn.name), text))
        last = at or last
    return parts


def is_transcript(text: str) -> bool:
    """Whether a text names speakers in a layout that only transcripts have."""
    return _shape_of(_heads(text.split("\n")), _SHAPES) is not None


def _turns(text: str, *, asked: bool) -> list[_Turn]:
    """The turns, by the layout that most lines match; [] if there is none.

    A line that does not match continues the turn before it. A line with a time but no name is a
    system notice ("Anna left") and opens a turn without a name. Text before the first speaker
    belongs to the user.
    """
    lines = text.split("\n")
    heads = _heads(lines)
    faint = [one for one in _FAINT_SHAPES if asked or _is_talk(one, heads)]
    shape = _shape_of(heads, (*_SHAPES, *faint))
    if shape is None:
        return []
    turns = [_Turn("user")]
    for line, head in zip(lines, heads, strict=True):
        if match := shape.match(head):
            parts = match.groupdict()
            said = parts["text"] + line[200:]
            turns.append(_Turn((parts["name"] or "").strip(), parts.get("stamp") or "", [said]))
        else:
            turns[-1].lines.append(line)
    return turns


def _heads(lines: list[str]) -> list[str]:
    return [_INVISIBLE.sub("", line[:200]).translate(_NARROW_SPACES) for line in lines]


def _shape_of(heads: list[str], shapes: tuple[re.Pattern[str], ...]) -> re.Pattern[str] | None:
    """The layout that most lines match; None if fewer than two lines match any."""
    shape = max(shapes, key=lambda pattern: len(_speakers(pattern, heads)))
    return shape if len(_speakers(shape, heads)) > 1 else None


def _is_talk(shape: re.Pattern[str], heads: list[str]) -> bool:
    """Whether half of the lines have a speaker, and two speakers (with times, one) recur."""
    speakers = Counter(_speakers(shape, heads))
    recurring = sum(1 for lines in speakers.values() if lines > 1)
    most = 2 * speakers.total() >= sum(1 for head in heads if head.strip())
    return most and recurring >= (1 if shape.pattern.startswith("(?P<stamp>") else 2)


def _speakers(shape: re.Pattern[str], heads: list[str]) -> list[str]:
    matches = (shape.match(head) for head in heads)
    return [match["name"] for match in matches if match and match["name"]]


def _role(name: str) -> str:
    """ "user" or "assistant" for their common aliases; a person's name stays as it is."""
    lowered = name.lower()
    if lowered in _USER_NAMES:
        return "user"
    return "assistant" if lowered in _ASSISTANT_NAMES else name

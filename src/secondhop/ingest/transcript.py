"""Plain text: a transcript in one of seven common layouts, or a note."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from secondhop.ingest.dates import date_in_name, parse_date
from secondhop.ingest.reading import Document, Found, Skipped
from secondhop.stores.records import Memory, Message

_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp]\.?\s?[Mm]\.?)?"
_DAY = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_NAME = r"(?P<name>[^\W\d_][\w.'’-]*(?: [\w.'’-]+){0,2})"
_ROLES = (
    "user|human|me|you|assistant|ai|bot|chatgpt|gpt|claude|gemini|copilot|perplexity|mistral|"
    "le chat|deepseek|grok|model|system"
)
_SHAPES = (
    re.compile(rf"\*{{0,2}}(?P<name>(?i:{_ROLES}))\*{{0,2}}\s?:\*{{0,2}}\s?(?P<text>.*)"),
    re.compile(r"\[(?P<stamp>\d[^\]]{3,39})\]\s?(?:(?P<name>[^:]{1,60}): ?)?(?P<text>.*)"),
    re.compile(rf"(?P<name>[^:()]{{1,60}}?) \((?P<stamp>(?:{_DAY},? )?{_CLOCK})\): ?(?P<text>.*)"),
    re.compile(rf"(?P<stamp>{_DAY},? {_CLOCK}) [-–] (?:(?P<name>[^:]{{1,60}}): ?)?(?P<text>.*)"),
    re.compile(
        rf"(?P<stamp>{_DAY}(?:,? |T){_CLOCK}(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?) {_NAME}: ?(?P<text>.*)"
    ),
)
_FAINT_SHAPES = (
    re.compile(rf"(?P<stamp>{_CLOCK}) {_NAME}: (?P<text>.*)"),
    re.compile(r"(?:\[?(?P<stamp>[\d:]{4,8})\]? )?<(?P<name>[^<>/]{1,40})> (?P<text>.*)"),
    re.compile(rf"{_NAME}: +(?P<text>\S.*)"),
)
"""Notes have such lines too ("10:00 Lunch: soup", "Serves: 4"): `_is_talk` says what they need."""
_STAMP = re.compile(rf"(\d{{1,4}})([./-])(\d{{1,2}})[./-](\d{{1,4}}),? ({_CLOCK})")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s?([AaPp])?")
_YEAR = re.compile(r"\d{4}-")
_INVISIBLE = re.compile("[\u200e\u200f\u202a-\u202e\ufeff]")
_NARROW_SPACES = str.maketrans("\u202f\u00a0", "  ")
_USER_NAMES = frozenset({"user", "human", "me", "you"})
_ASSISTANT_NAMES = frozenset(_ROLES.split("|")) - _USER_NAMES - {"system"}


@dataclass(slots=True)
class _Turn:
    name: str
    stamp: str = ""
    lines: list[str] = field(default_factory=lambda: [])


def read_transcript(document: Document, *, asked: bool = False) -> Iterator[Found | Skipped]:
    """The file as one conversation, or as one note if it names no speakers.

    `asked`: the user said that it is a transcript, so any two lines with a speaker make it one, and
    a file without them is named.
    """
    if not document.text.strip():
        yield Skipped(document.item, "an empty file")
        return
    turns = _turns(document.text, asked=asked)
    messages = tuple(
        Message(_role(turn.name), text)
        for turn in turns
        if turn.name and (text := "\n".join(turn.lines).strip())
    )
    dates = [_first_date([turn.stamp for turn in turns if turn.stamp]), date_in_name(document.name)]
    memory = Memory(
        memory_id=document.path,
        title=document.stem,
        source="conversation" if messages else "note",
        created_at=next((date for date in dates if date), document.modified_at),
        messages=messages or (Message("user", document.text.strip()),),
        origin=document.origin,
    )
    if asked and not messages:
        reason = "no two lines of it begin with a speaker or a time; it was read as a note"
        yield Skipped(document.item, reason, is_notice=True)
    yield Found(memory=memory, item=document.item, named_by_path=True)


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


def _first_date(stamps: list[str]) -> datetime | None:
    """The first stamp with a date. All stamps together decide whether days or months come first."""
    parsed = [match for stamp in stamps if (match := _STAMP.search(stamp))]
    day_first = _days_come_first(parsed)
    moments = (
        (parse_date(one) if _YEAR.match(one) else None)
        or _read_stamp(one, day_first=day_first)
        or parse_date(one)
        for one in stamps
    )
    return next((moment for moment in moments if moment), None)


def _days_come_first(stamps: list[re.Match[str]]) -> bool:
    """A number above 12 decides. Otherwise dots mean days first, and a.m. or p.m. months first."""
    if any(int(stamp[1]) > 12 for stamp in stamps):
        return True
    if any(int(stamp[3]) > 12 for stamp in stamps):
        return False
    return any(stamp[2] == "." for stamp in stamps) or not any(
        "m" in stamp[5].lower() for stamp in stamps
    )


def _read_stamp(stamp: str, *, day_first: bool) -> datetime | None:
    match = _STAMP.search(stamp)
    clock = _TIME.search(match[5]) if match else None
    if match is None or clock is None:
        return None
    first, second, third = int(match[1]), int(match[3]), int(match[4])
    if first > 31:
        year, month, day = first, second, third
    else:
        year = third if third > 99 else 2000 + third
        month, day = (second, first) if day_first else (first, second)
    hour = int(clock[1])
    if clock[4]:
        hour = hour % 12 + (12 if clock[4].lower() == "p" else 0)
    try:
        return datetime(year, month, day, hour, int(clock[2]), int(clock[3] or 0), tzinfo=UTC)
    except ValueError:
        return None

"""Reads dates as exports and people write them, and converts them to UTC; naive dates are UTC."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from secondhop.moments import in_utc

_DATED_NAME = re.compile(r"(?<!\d)((?:19|20)\d{2})[-_.]?(\d{2})[-_.]?(\d{2})(?!\d)")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b"
)
_SPELLED_DATE = re.compile(
    r"(?<!\d)(?:(?P<day>\d{1,2})(?:\.(?P<month>\d{1,2})\.|(?:st|nd|rd|th|\.)? "
    rf"(?P<name>{_MONTH})\.?,? )|(?P<us_name>{_MONTH})\.? (?P<us_day>\d{{1,2}})(?:st|nd|rd|th)?,? )"
    r"(?P<year>(?:19|20)\d{2})(?!\d)",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b", re.I)
_CLOCK = re.compile(r"\b\d{1,2}[:.]\d{2}(?: ?[ap]\.?m\b)?", re.I)
_LONGEST_DATE = 48
_IN_A_LIST = re.compile(r"\s*[-*+•|]")
_ISO_START = re.compile(r"\d{4}-?\d{2}-?\d{2}")
_EARLIEST_EPOCH_S = 100_000_000  # 1973; smaller numbers are not timestamps
_LATEST_EPOCH_NS = 1e19  # 2286; larger numbers are not timestamps
_COMPACT_DATES = (19000101, 21001231)  # 20240501


def parse_date(value: object) -> datetime | None:
    """A date from ISO 8601, RFC 2822, `2024/05/01 10:00`, 20240501 or an epoch; otherwise None.

    An epoch may be in seconds, milliseconds, microseconds or nanoseconds; its size shows which.
    """
    if isinstance(value, datetime):
        return _in_utc(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, str):
        return _from_text(value.strip())
    return _from_number(value)


def date_in_name(name: str) -> datetime | None:
    """The date in a file name such as `2024-05-01 standup.md`; None if there is none."""
    match = _DATED_NAME.search(name)
    if match is None:
        return None
    try:
        return datetime(int(match[1]), int(match[2]), int(match[3]), tzinfo=UTC)
    except ValueError:
        return None


def date_in_heading(heading: str) -> datetime | None:
    """The date in a journal's heading: as in file names, or `24.11.2025`, or with the English name
    of the month (`Mon 24 Nov 2025`, `November 24, 2025`); None if there is none."""
    spelled = _SPELLED_DATE.search(heading)
    if spelled is None:
        return date_in_name(heading.replace("/", "-"))
    name = (spelled["name"] or spelled["us_name"] or "").lower()[:3]
    month = _MONTHS.index(name) + 1 if name else int(spelled["month"])
    day = int(spelled["day"] or spelled["us_day"])
    return date_in_name(f"{spelled['year']}-{month:02}-{day:02}")


def date_of_line(line: str) -> datetime | None:
    """The date of a line, or a name, that holds one date and nothing else but a day of the week and
    a time.

    >>> date_of_line("Sat, 1 March 2025, 21:30")
    datetime.datetime(2025, 3, 1, 0, 0, tzinfo=datetime.timezone.utc)
    >>> date_of_line("Rent from 1 March 2025")
    """
    if len(line) > _LONGEST_DATE or _IN_A_LIST.match(line):
        return None
    rest, dates = line.replace("/", "-"), 0
    for part in (_DATED_NAME, _SPELLED_DATE):
        rest, count = part.subn(" ", rest)
        dates += count
    rest = _CLOCK.sub(" ", _WEEKDAY.sub(" ", rest))
    return None if dates != 1 or re.search(r"[^\W_]", rest) else date_in_heading(line)


def _from_text(text: str) -> datetime | None:
    if len(text) > 64:
        return None
    if _ISO_START.match(text.replace("/", "-")):
        try:
            iso = text.replace("/", "-").removesuffix(" UTC").removesuffix(" GMT")
            return _in_utc(datetime.fromisoformat(iso))
        except ValueError:
            pass  # not ISO after all; it may be another format
    try:
        return _from_number(float(text))
    except ValueError:
        pass  # not a number
    try:
        return _in_utc(parsedate_to_datetime(text))
    except (ValueError, TypeError, OverflowError):
        return None


def _from_number(number: float) -> datetime | None:
    if _COMPACT_DATES[0] <= number <= _COMPACT_DATES[1] and number == int(number):
        return date_in_name(str(int(number)))
    if not _EARLIEST_EPOCH_S <= number < _LATEST_EPOCH_NS:  # also false for NaN and infinity
        return None
    seconds = float(number)
    while seconds >= 1e11:  # as seconds, the year 5138; so the unit is finer
        seconds /= 1000
    return datetime.fromtimestamp(seconds, UTC)


def _in_utc(moment: datetime) -> datetime | None:
    try:
        return in_utc(moment)
    except (OverflowError, ValueError):
        return None

"""Reads dates as exports and people write them, and converts them to UTC; naive dates are UTC."""

import re
from collections.abc import Iterable
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
    rf"(?<!\d)(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)? (?P<name>{_MONTH})\.?,? "
    rf"|(?P<us_name>{_MONTH})\.? (?P<us_day>\d{{1,2}})(?:st|nd|rd|th)?,? )"
    r"(?P<year>(?:19|20)\d{2})(?!\d)",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"(?<!\d)(\d{1,2})([./-])(\d{1,2})\2((?:19|20)\d{2})(?!\d)")
_DATES = (_SPELLED_DATE, _DATED_NAME, _NUMBERS)
_SHORT_YEAR = re.compile(r"(?<![\d./-])(\d{1,2})([./-])(\d{1,2})\2(\d{2})(?![\d./-])")
_WEEKDAY = re.compile(r"\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\b", re.I)
_CLOCK = re.compile(r"\b(\d{1,2})[:.](\d{2})(?::(\d{2}))?(?: ?([ap])\.?m\b)?", re.I)
_LONGEST_DATE = 48
_MOST_WORDS = 8
_FOUR_DIGITS = re.compile(r"(?:\d\D*){4}")
_IN_A_LIST = re.compile(r"\s*[-*+•|]")
_ISO_START = re.compile(r"\d{4}-?\d{2}-?\d{2}")
_EARLIEST_EPOCH_S = 100_000_000  # 1973; smaller numbers are not timestamps
_LATEST_EPOCH_NS = 1e19  # 2286; larger numbers are not timestamps
_COMPACT_DATES = (19000101, 21001231)  # 20240501


def parse_date(value: object) -> datetime | None:
    """A date from ISO 8601, RFC 2822, `2024/05/01 10:00`, 20240501 or an epoch, or as people write
    it (`date_in`); otherwise None.

    An epoch may be in seconds, milliseconds, microseconds or nanoseconds; its size shows which.
    """
    if isinstance(value, datetime):
        return _in_utc(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, str):
        return _from_text(value.strip())
    return _from_number(value)


def date_in(text: str, *, day_first: bool | None = None) -> datetime | None:
    """The date in a file name or a heading: `2024-05-01`, `24.11.2025`, `24/11/2025`, or with the
    English name of the month (`Mon 24 Nov 2025`, `November 24, 2025`); None if there is none.

    `day_first`: how to read `03/11/2026`; None: not at all.
    """
    if spelled := _SPELLED_DATE.search(text):
        name = (spelled["name"] or spelled["us_name"]).lower()[:3]
        day = spelled["day"] or spelled["us_day"]
        return _date(spelled["year"], _MONTHS.index(name) + 1, day)
    if dated := _DATED_NAME.search(text.replace("/", "-")):
        return _date(*dated.groups())
    numbers = _NUMBERS.search(text)
    if numbers is None:
        return None
    first, mark, second, year = numbers.groups()
    decided = True if mark == "." else day_comes_first([(int(first), int(second))])
    order = day_first if decided is None else decided
    if order is None:
        return None
    return _date(year, second, first) if order else _date(year, first, second)


def day_comes_first(dates: Iterable[tuple[int, int]]) -> bool | None:
    """Whether the first of the two numbers is the day in all these dates. A number above 12
    decides; None if there is none."""
    pairs = list(dates)
    if any(first > 12 for first, _ in pairs):
        return True
    return False if any(second > 12 for _, second in pairs) else None


def order_in(texts: Iterable[str]) -> bool | None:
    """`day_comes_first` of dates like 03/11/2026 (with dots, it always does)."""
    found = (one for text in texts for one in _NUMBERS.findall(text) if one[1] != ".")
    return day_comes_first((int(one[0]), int(one[2])) for one in found)


def with_whole_year(text: str) -> str:
    """`3.11.2026` for `3.11.26`. (It may be a version.)"""
    return _SHORT_YEAR.sub(r"\1\2\3\g<2>20\4", text)


def may_be_date(line: str) -> bool:
    """False if a line is clearly more than a date; cheap."""
    short = len(line) <= _LONGEST_DATE and len(line.split()) <= _MOST_WORDS
    return short and _FOUR_DIGITS.search(line) is not None


def begins_with_date(line: str) -> bool:
    """Whether a line begins with a date, whose first word is a number, and goes on."""
    if not line[:1].isdigit():
        return False
    start = with_whole_year(line[:_LONGEST_DATE]).replace("/", "-")
    match = next((found for one in _DATES if (found := one.match(start))), None)
    return match is not None and start[match.end() :].strip(" :-–") != ""


def unread_date(given: object) -> str:
    """What a notice says about a date, or a text with one, that cannot be read."""
    text = str(given)[:40]
    why = "cannot be read"
    if date_in(text, day_first=True) and not date_in(text):
        why = "leaves open which number is the day (2026-11-03 would not)"
    return f"its date {text!r} {why}; the file's date is used instead"


def read_day_first(date: str) -> str:
    """What a notice says about dates whose order nothing in their file decides."""
    return (
        f"its dates, such as {date.strip()[:40]!r}, leave open which number is the day; the first "
        "was read as the day"
    )


def read_short_year(line: str, at: datetime) -> str:
    """What a notice says about lines like 3.11.26 that were read as dates."""
    written = line.strip()[:40]
    return (
        f"its lines such as {written!r} were read as dates ({at:%Y-%m-%d}); if they are versions, "
        "write a v before them"
    )


def _date(year: str, month: str | int, day: str) -> datetime | None:
    try:
        return datetime(int(year), int(month), int(day), tzinfo=UTC)
    except ValueError:
        return None


def date_of_line(line: str, *, day_first: bool | None = None) -> datetime | None:
    """The date (`date_in`) of a line, or a name, that holds one date and nothing else but a day of
    the week and a time.

    >>> date_of_line("Sat, 1 March 2025, 21:30")
    datetime.datetime(2025, 3, 1, 0, 0, tzinfo=datetime.timezone.utc)
    >>> date_of_line("Rent from 1 March 2025")
    """
    if not may_be_date(line) or _IN_A_LIST.match(line):
        return None
    beside = _beside_date(line)
    if beside is None or re.search(r"[^\W_]", _CLOCK.sub(" ", _WEEKDAY.sub(" ", beside))):
        return None
    return date_in(line, day_first=day_first)


def _beside_date(line: str) -> str | None:
    """What a line holds beside its only date; None if it has no date, or several."""
    rest, dates = line.replace("/", "-"), 0
    for part in _DATES:
        rest, count = part.subn(" ", rest)
        dates += count
    return rest if dates == 1 else None


def _moment_of_line(line: str) -> datetime | None:
    """`date_of_line` with its time of day; None if there are two times (one may be a zone)."""
    day = date_of_line(line)
    times = [found.groups() for found in _CLOCK.finditer(_beside_date(line) or "")]
    if day is None or not times:
        return day
    hours, minutes, seconds, half = times[0]
    hour = int(hours) % 12 + 12 * (half in "pP") if half else int(hours)
    try:
        moment = day.replace(hour=hour, minute=int(minutes), second=int(seconds or 0))
    except ValueError:
        return None
    return moment if len(times) == 1 else None


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
    if moment := _moment_of_line(text):
        return moment
    try:
        return _in_utc(parsedate_to_datetime(text))
    except (ValueError, TypeError, OverflowError):
        return None


def _from_number(number: float) -> datetime | None:
    if _COMPACT_DATES[0] <= number <= _COMPACT_DATES[1] and number == int(number):
        return date_in(str(int(number)))
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

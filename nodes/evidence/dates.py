"""Finds the dates that a question names, and how close to them a memory was written.

"What did we decide in mid-June?" asks for what was written then, not for texts about June.

Source: Wu et al., LongMemEval, ICLR 2025, arXiv:2410.10813, where narrowing a search to the time
that a question names brought 7 to 11 points of recall.
"""

import re
from calendar import month_abbr, month_name, monthrange
from collections.abc import Iterator, Sequence
from datetime import MAXYEAR, MINYEAR, date
from math import exp
from typing import NamedTuple

FADES_DAYS = 5.0
"""Days outside a span at which nearness is 1/e: people write things down a little before or after.
"""

YEARS_BACK = 9
"""A month or day without a year counts in each year from this many before the question to one
after."""

MONTHS = {name: n for names in (month_name, month_abbr) for n, name in enumerate(names) if name}
MONTHS["Sept"] = 9

PARTS = {"early": (1, 12), "mid": (8, 22), "late": (18, 31), "first": (1, 16), "second": (14, 31)}
"""(first, last) day of each part of a month, with a few days to spare."""

SAYS = {"beginning": "early", "start": "early", "middle": "mid", "end": "late"}

_PART = (
    r"(?:\b(?i:(?P<part>early|mid|late|first|second|beginning|start|middle|end))"
    r"(?i:[ -]|(?: half)? of ))?"
)
_MONTH = re.compile(
    rf"{_PART}(?:\b(?P<before>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?"
    rf"\b(?P<month>{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b\.?"
    r"(?: (?P<after>\d{1,2})(?:st|nd|rd|th)?\b(?!:))?"
    r"(?:,? (?:of )?(?P<year>(?:19|20)\d\d)\b)?"
)
_AMBIGUOUS = frozenset({"May", "March", "Mar", "April", "June", "August", "Jan"})
"""Months that are also names or other words. Alone, they count only after a word like "in"."""

_TIMELY = re.compile(
    r"\b(in|on|of|by|since|until|before|after|during|from|this|last|next|around|between|"
    r"through|throughout)\s+$",
    re.I,
)
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d)-(\d\d)\b")
_YEAR = re.compile(r"\b(?:in|of|during|year) ((?:19|20)\d\d)\b", re.I)
_CALLED = re.compile(r"\b(today|yesterday|(?:this|last) (?:week|month|year))\b(?! of\b)", re.I)
_AGO = re.compile(
    r"\b(\d{1,3}|an?|one|two|three|four|five|six) (day|week|month|year)s? ago\b", re.I
)
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}


class Span(NamedTuple):
    """A span of days, both ends included."""

    first: date
    last: date


def named_spans(question: str, *, asked_on: date) -> list[Span]:
    """The spans that a question names: days, months or parts of them, years, or "last week".

    Years alone count only if nothing else is named.

    >>> named_spans("What did I spend on 3 May 2025?", asked_on=date(2026, 1, 1))
    [Span(first=datetime.date(2025, 5, 3), last=datetime.date(2025, 5, 3))]
    >>> named_spans("May I ask who may come?", asked_on=date(2026, 1, 1))
    []
    """
    spans = [*_iso(question), *_months(question, asked_on.year), *_relative(question, asked_on)]
    if spans:
        return spans
    return [Span(date(int(y), 1, 1), date(int(y), 12, 31)) for y in _YEAR.findall(question)]


def nearness(day: date, spans: Sequence[Span]) -> float:
    """1 inside a span, falling with the distance to the nearest one; 0.0 without spans."""
    return max((exp(-_gap(day, span) / FADES_DAYS) for span in spans), default=0.0)


def _gap(day: date, span: Span) -> int:
    return max((span.first - day).days, (day - span.last).days, 0)


def _iso(question: str) -> Iterator[Span]:
    for year, month, day in _ISO.findall(question):
        yield from _span(int(year), int(month), int(day), int(day))


def _months(question: str, asked_in: int) -> Iterator[Span]:
    for found in _MONTH.finditer(question):
        day, part = found["before"] or found["after"], found["part"]
        alone = not (day or part or found["year"])
        if (
            alone
            and found["month"] in _AMBIGUOUS
            and not _TIMELY.search(question[: found.start("month")])
        ):
            continue
        first, last = (int(day), int(day)) if day else _part(part)
        earliest, latest = max(asked_in - YEARS_BACK, MINYEAR), min(asked_in + 1, MAXYEAR)
        years = [int(found["year"])] if found["year"] else range(earliest, latest + 1)
        for year in years:
            yield from _span(year, MONTHS[found["month"]], first, last)


def _part(said: str | None) -> tuple[int, int]:
    word = (said or "").lower()
    return PARTS.get(SAYS.get(word, word), (1, 31))


def _span(year: int, month: int, first: int, last: int) -> Iterator[Span]:
    """The span, cut to the month's length; nothing for a month 13 or a day 40."""
    if not 1 <= month <= 12 or not 1 <= first <= 31:
        return
    length = monthrange(year, month)[1]
    yield Span(date(year, month, min(first, length)), date(year, month, min(last, length)))


def _relative(question: str, today: date) -> Iterator[Span]:
    for said in _CALLED.findall(question):
        yield _called(said.lower(), today)
    for number, unit in _AGO.findall(question):
        days = _DAYS[unit.lower()]
        day = _shifted(today, -(_NUMBERS.get(number.lower()) or int(number)) * days)
        yield Span(_shifted(day, -(days // 2)), _shifted(day, days // 2))


def _called(said: str, today: date) -> Span:
    """A day, or the calendar's week, month or year; never beyond today."""
    if said == "today":
        return Span(today, today)
    if said == "yesterday":
        return Span(_shifted(today, -1), _shifted(today, -1))
    which, unit = said.split()
    start = _first_day(unit, today)
    if which == "this":
        return Span(start, today)
    last = _shifted(start, -1)
    return Span(_first_day(unit, last), last)


def _first_day(unit: str, day: date) -> date:
    """The first day of the calendar's week, month or year that holds the day."""
    if unit == "week":
        return _shifted(day, -day.weekday())
    return day.replace(day=1) if unit == "month" else day.replace(month=1, day=1)


def _shifted(day: date, days: int) -> date:
    """The day plus `days`, limited to the first and last day of the calendar."""
    ordinal = day.toordinal() + days
    return date.fromordinal(min(max(ordinal, date.min.toordinal()), date.max.toordinal()))

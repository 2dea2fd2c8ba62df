"""The entries of a journal in plain text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from secondhop.ingest.dates import (
    begins_with_date,
    date_of_line,
    may_be_date,
    order_in,
    read_day_first,
    read_short_year,
    with_whole_year,
)

MANY_LINES = 3
"""From so many lines on that begin with a date, the ledger names a text that is no journal."""

ONE_MEMORY = (
    "one memory, of lines that begin with a date; if they are entries of a journal, put each date "
    "on a line of its own, and each becomes a memory"
)


@dataclass(frozen=True, slots=True)
class Journal:
    """What a text holds."""

    entries: Sequence[tuple[datetime | None, str]]
    """With their dates; the text alone if it is no journal."""
    notice: str = ""
    """What the ledger says of it; "" for nothing."""


def journal_in(text: str) -> Journal:
    """The entries, each under a line that holds only a date, with text below it. A text with one
    such line is an entry if it begins with it."""
    lines = text.split("\n")
    dates, notice = _dates_of({n: line for n, line in enumerate(lines) if may_be_date(line)})
    said = [
        (dates.get(start), "\n".join(lines[start:end]).strip())
        for start, end in zip([0, *dates], [*dates, len(lines)], strict=True)
    ]
    above, entries = said[0], said[1:]
    is_journal = len(entries) > 1 or (entries and not above[1])
    if is_journal and all("\n" in entry for _, entry in entries):
        return Journal([one for one in said if one[1]], notice)
    many = sum(map(begins_with_date, lines)) >= MANY_LINES
    return Journal([(None, text.strip())], ONE_MEMORY if many else "")


def _dates_of(lines: Mapping[int, str]) -> tuple[dict[int, datetime], str]:
    """({position: date} of the lines that hold nothing else, what the ledger says of them). Lines
    like 3.11.26 are dates if there are no others, and if their days change more than their years
    (the days of versions seldom do)."""
    dates, guessed = _in_one_order(lines)
    notices = [read_day_first(lines[n]) for n in guessed[:1]]
    if not dates:
        dates, guessed = _in_one_order({n: with_whole_year(line) for n, line in lines.items()})
        notices = [read_day_first(lines[n]) for n in guessed[:1]]
        notices += [read_short_year(lines[n], at) for n, at in [*dates.items()][:1]]
        years = {at.year for at in dates.values()}
        if len({(at.month, at.day) for at in dates.values()}) <= len(years):
            return {}, ""
    return dates, "; ".join(notices)


def _in_one_order(lines: Mapping[int, str]) -> tuple[dict[int, datetime], list[int]]:
    """({position: date}, the positions of those that leave open which number is the day). If no
    line says whether days or months come first, days do, as in chats."""
    dates = _read(lines, day_first=True)
    order = order_in(lines[n] for n in dates)
    guessed = [n for n in dates if order is None and not date_of_line(lines[n])]
    if order is False:
        dates = _read(lines, day_first=False)
    return dates, guessed


def _read(lines: Mapping[int, str], *, day_first: bool) -> dict[int, datetime]:
    read = ((n, date_of_line(line, day_first=day_first)) for n, line in lines.items())
    return {n: at for n, at in read if at}

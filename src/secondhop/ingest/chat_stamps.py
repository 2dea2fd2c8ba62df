"""Reads the times of messages in transcripts."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from secondhop.ingest.dates import day_comes_first, parse_date

CLOCK: Final = r"\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp]\.?\s?[Mm]\.?)?"
_STAMP = re.compile(rf"(\d{{1,4}})([./-])(\d{{1,2}})[./-](\d{{1,4}})(?:,? ({CLOCK}))?")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?\s?([AaPp])?")
_YEAR = re.compile(r"\d{4}-")


def moments_of(stamps: Sequence[str]) -> list[datetime | None]:
    """The moment of each stamp; None for one without a date. All stamps together decide whether
    days or months come first."""
    parsed = [match for stamp in stamps if (match := _STAMP.search(stamp))]
    day_first = _days_come_first(parsed)
    return [
        (parse_date(one) if _YEAR.match(one) else None)
        or _read_stamp(one, day_first=day_first)
        or parse_date(one)
        for one in stamps
    ]


def _days_come_first(stamps: list[re.Match[str]]) -> bool:
    """See `day_comes_first`. Otherwise dots mean days first, and a.m. or p.m. months first."""
    decided = day_comes_first((int(stamp[1]), int(stamp[3])) for stamp in stamps)
    if decided is not None:
        return decided
    return any(stamp[2] == "." for stamp in stamps) or not any(
        "m" in (stamp[5] or "").lower() for stamp in stamps
    )


def _read_stamp(stamp: str, *, day_first: bool) -> datetime | None:
    match = _STAMP.search(stamp)
    clock = _TIME.search(match[5] or "0:00") if match else None
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

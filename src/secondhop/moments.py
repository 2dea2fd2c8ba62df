"""Moments without a time zone are in UTC."""

from datetime import UTC, datetime


def with_zone(moment: datetime) -> datetime:
    """The moment in its own zone, or in UTC if it has none."""
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def in_utc(moment: datetime) -> datetime:
    """The moment in UTC.

    Raises:
        OverflowError: in UTC, it lies outside the years 1 to 9999.
    """
    return with_zone(moment).astimezone(UTC)

"""Which sources count more: "note=1, conversation=0.9"."""

from collections.abc import Mapping
from functools import cache

from secondhop.errors import SettingError

LEAST = 0.1
MOST = 2.0


@cache
def parsed_priority(text: str) -> Mapping[str, float]:
    """{source: factor}; {} of "". Raises SettingError if the text has another form, or a factor
    lies outside 0.1..2.

    >>> parsed_priority("note=1, conversation=0.9")
    {'note': 1.0, 'conversation': 0.9}
    """
    factors: dict[str, float] = {}
    for entry in filter(str.strip, text.split(",")):
        source, equals, factor = (part.strip() for part in entry.partition("="))
        try:
            value = float(factor)
        except ValueError as error:
            raise _no_priority(entry) from error
        if not equals or not source or not LEAST <= value <= MOST:
            raise _no_priority(entry)
        factors[source] = value
    return factors


def checked_priority(text: str) -> str:
    """The text itself. Raises SettingError as `parsed_priority` does."""
    parsed_priority(text)
    return text


def _no_priority(entry: str) -> SettingError:
    return SettingError(
        f"{entry.strip()!r} is not a source with a factor in {LEAST}..{MOST:g}, like note=1"
    )

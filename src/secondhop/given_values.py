"""What a program gives, checked at once: the error names the mistake."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import cast

from secondhop.errors import UsageError
from secondhop.memories.records import Fact, Preference
from secondhop.nodes.config import COUNT_LIMIT, TOKENS_LIMIT
from secondhop.stores.records import Memory


def check_text(given: object, *, name: str) -> None:
    """Raises UsageError unless it is words."""
    if not isinstance(given, str):
        raise UsageError(f"{name} must be a text (str), not {shown(given)}")


def check_id(given: object, *, name: str = "the id of a memory") -> None:
    """Raises UsageError unless it is words that can be stored."""
    check_text(given, name=name)
    if not str(given).strip():
        raise UsageError(f"{name} is empty")
    try:
        str(given).encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{name} must be text that UTF-8 can hold, not {shown(given)}: its character "
            f"{error.start + 1} is half of a pair (a surrogate)"
        ) from error


def check_counts(**given: object) -> None:
    """Raises UsageError unless each is a whole number that can be, or None for the default."""
    for name, count in given.items():
        if count is None:
            continue
        if not isinstance(count, int) or isinstance(count, bool):
            raise UsageError(f"{name} must be a whole number (int), not {shown(count)}")
        if count < 1:
            raise UsageError(f"{name} must be at least 1, not {count}")
        most = TOKENS_LIMIT if name == "tokens" else COUNT_LIMIT
        if count > most:
            raise UsageError(f"{name} must be at most {most:,}")


def check_moments(**given: object) -> None:
    """Raises UsageError unless each is a moment that UTC has, or None for the default."""
    for name, moment in given.items():
        if moment is None:
            continue
        if not isinstance(moment, datetime):
            raise UsageError(
                f"{name} must be a datetime, not {shown(moment)}; datetime.fromisoformat makes "
                f"one of a text like 2025-11-17T13:00+00:00, and without a zone it is meant in UTC"
            )
        if not is_in_calendar(moment):
            raise UsageError(
                f"{name} must lie between the years 1 and 9999 in UTC, too, "
                f"not {moment.isoformat()}"
            )


def is_in_calendar(moment: datetime) -> bool:
    """Whether UTC has it: the first and last hours of the calendar have no place there in zones
    that are ahead or behind."""
    try:
        moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (OverflowError, ValueError):
        return False
    return True


def check_rememberable(given: object) -> None:
    """Raises UsageError unless it is what `remember` takes."""
    if not isinstance(given, (str, Fact, Preference)):
        raise UsageError(
            f"what is to be remembered must be a text (str), a Fact or a Preference, "
            f"not {shown(given)}"
        )


def only_memories(given: object) -> Iterator[Memory]:
    """What is given, one after the other; raises UsageError at what is no memory."""
    if not isinstance(given, Iterable):
        raise UsageError(f"`add` takes several memories, a list for one, not {shown(given)}")
    for one in cast(Iterable[object], given):
        if not isinstance(one, Memory):
            raise UsageError(
                f"a memory to add must be a secondhop Memory, not {shown(one)}; "
                f"`remember` takes texts, `ingest` files"
            )
        yield one


def shown(given: object) -> str:
    """Its beginning and its type: `'6' (str)`."""
    return f"{repr(given)[:40]} ({type(given).__name__})"

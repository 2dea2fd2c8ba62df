"""Checks the input of a recall."""

from datetime import datetime
from typing import Final

from pydantic import TypeAdapter, ValidationError

from secondhop.clean_text import clean_text
from secondhop.errors import UsageError
from secondhop.moments import in_utc, with_zone
from secondhop.nodes.config import COUNT_LIMIT, TOKENS_LIMIT
from secondhop.wording import shown

MISSING: Final = object()
_TEXTS: Final = TypeAdapter(list[str])

QUESTION_CHARS = 20_000
"""Longer questions are refused. They are documents, and no embedder reads them to the end."""


def checked_question(question: object) -> str:
    """The question, cleaned as stored texts are, without white space around it.

    Raises:
        UsageError: it is missing, not a text, empty, or longer than `QUESTION_CHARS`.
    """
    if question is MISSING:
        raise UsageError('the graph takes a question as text: {"question": "…"}')
    if not isinstance(question, str):
        raise UsageError(f"the question must be text (str), not {shown(question)}")
    text = clean_text(question).strip()
    if not text:
        raise UsageError("the question is empty; ask something")
    if len(text) > QUESTION_CHARS:
        raise UsageError(
            f"the question has {len(text):,} characters, but at most {QUESTION_CHARS:,} are read; "
            f"ask the question alone, and ingest the document it comes with"
        )
    return text


def checked_earlier(given: object) -> list[str]:
    """The earlier questions in the form of `checked_question`, without empty ones.

    Raises:
        UsageError: they are not a list of texts.
    """
    try:
        texts = _TEXTS.validate_python(() if given is None else given)
    except ValidationError as error:
        raise UsageError(f"earlier must be a list of texts (str), not {shown(given)}") from error
    return [text for one in texts if (text := clean_text(one).strip())]


def checked_count(count: object, *, name: str, most: int = COUNT_LIMIT) -> int | None:
    """The count, checked; None stands for the default. Raises UsageError if the count is not a
    whole number, below 1, or above `most`."""
    if count is None:
        return None
    if not isinstance(count, int) or isinstance(count, bool):
        raise UsageError(f"{name} must be a whole number (int), not {shown(count)}")
    if count < 1:
        raise UsageError(f"{name} must be at least 1, not {count}")
    if count > most:
        raise UsageError(f"{name} must be at most {most:,}")
    return count


def check_limits(*, k: object, tokens: object) -> None:
    """Raises UsageError if a recall would refuse to return so much."""
    checked_count(k, name="k")
    checked_count(tokens, name="tokens", most=TOKENS_LIMIT)
    if k is not None and tokens is not None:
        raise UsageError("k and tokens both limit the answer; give only one of them")


def checked_time(given: object, *, name: str) -> datetime | None:
    """The moment with a time zone (UTC if it has none); None for None or "". Raises UsageError if
    it is neither a datetime nor ISO 8601 text, or lies outside the years of UTC."""
    if given is None or given == "":
        return None
    try:
        moment = datetime.fromisoformat(given) if isinstance(given, str) else given
        if not isinstance(moment, datetime):
            raise UsageError(f"{name} must be a datetime, or ISO 8601 text, not {shown(given)}")
        in_utc(moment)
    except OverflowError as error:
        raise UsageError(
            f"{name} must be between the years 1 and 9999, in UTC as well, not {given}"
        ) from error
    except ValueError as error:
        raise UsageError(
            f"{name} must be a datetime, or ISO 8601 text like 2026-03-01T09:00Z, not "
            f"{shown(given)}"
        ) from error
    return with_zone(moment)

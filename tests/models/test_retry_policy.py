"""Whether to try again, as told by the errors of many libraries."""

import ssl
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any

import pytest

from secondhop.models.retry_policy import TryTimedOutError, failure_of, why_unanswered


def error_named(name: str, *bases: type, **fields: Any) -> Exception:
    """An error of a library that is not installed here."""
    made: Exception = type(name, (*bases, Exception), fields)("told")
    return made


def with_status(code: int, **headers: str) -> Exception:
    """An error as httpx and similar libraries raise it: status and headers are on the response."""
    response = SimpleNamespace(status_code=code, headers=headers)
    return error_named("HTTPStatusError", response=response)


STATUS = {
    "openai": error_named("RateLimitError", status_code=429),
    "httpx": with_status(429),
    "google": error_named("ResourceExhausted", code=429),
    "aiohttp": error_named("ClientResponseError", status=429),
    "botocore": error_named("ClientError", response={"ResponseMetadata": {"HTTPStatusCode": 429}}),
}


@pytest.mark.parametrize("library", STATUS)
def test_a_status_is_found_wherever_a_library_keeps_it(library: str) -> None:
    found = failure_of(STATUS[library])
    assert (found.status, found.may_pass, found.answered, found.was_free) == (429, True, True, True)
    assert why_unanswered(STATUS[library]) == "HTTP 429"


LOST = {
    "reset": ConnectionResetError(),
    "timeout": TimeoutError(),
    "ours": TryTimedOutError(),
    "tls": ssl.SSLError(),
    "httpx": error_named("ReadTimeout", type("TimeoutException", (), {})),
    "requests": error_named("ConnectTimeout", type("Timeout", (), {})),
    "aiohttp": error_named("ServerDisconnectedError", type("ClientConnectionError", (), {})),
    "botocore": error_named("ReadTimeoutError", type("HTTPClientError", (), {})),
}


@pytest.mark.parametrize("library", LOST)
def test_a_lost_connection_is_known_by_its_kind_or_its_name(library: str) -> None:
    found = failure_of(LOST[library])
    assert (found.lost, found.may_pass, found.answered, found.was_free) == (
        True,
        True,
        False,
        False,
    )


def test_a_quota_that_is_spent_is_not_waited_for() -> None:
    error = error_named("RateLimitError", status_code=429, code="insufficient_quota")
    assert not failure_of(error).may_pass


def test_the_server_says_how_long_to_wait() -> None:
    waits = [
        failure_of(with_status(429, **{"retry-after": text})).asked_wait_s
        for text in ("2.5", "-3", "nan", "soon", "Wed, 21 Oct 2015 07:28:00 GMT")
    ]
    assert waits == [2.5, 0.0, None, None, 0.0]
    in_a_minute = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    waits = [failure_of(with_status(429, **{"retry-after": in_a_minute})).asked_wait_s]
    assert waits == [pytest.approx(60, abs=10)]

"""What went wrong with a request to an OpenAI-compatible server, and what to do about it."""

from functools import partial
from typing import TYPE_CHECKING, cast

from secondhop.models.chat_transport import BrokenReplyError, RepeatAtOnceError
from secondhop.models.failure_messages import excerpt, kind_of_failure, without_key
from secondhop.models.openai_address import place_of
from secondhop.models.retry_policy import TryTimedOutError

if TYPE_CHECKING:
    from openai import APIStatusError


def explain(error: Exception, *, key: str | None) -> str:
    """What happened and what to do; the key, should the server repeat it, is "…"."""
    from openai import APIConnectionError, APIStatusError, APITimeoutError, OpenAIError

    if isinstance(error, RepeatAtOnceError) and isinstance(error.__cause__, Exception):
        error = error.__cause__
    if isinstance(error, (TryTimedOutError, APITimeoutError)):
        return "no answer in time; raise timeout_s, or check the server"
    if isinstance(error, (APIConnectionError, BrokenReplyError)):
        return f"no connection ({kind_of_failure(error)}); check base_url and the network"
    if isinstance(error, APIStatusError) and error.status_code < 400:
        return (
            f"HTTP {error.status_code}: the server redirects{_target(error)}, and no redirect is "
            f"followed; set base_url to the address that is meant"
        )
    if isinstance(error, APIStatusError):
        advice = {
            401: "check the API key",
            403: "check what the API key is allowed to do",
            404: "check the model's name and base_url",
            429: "slow down, or raise the quota",
        }.get(error.status_code, "see the server's message")
        said = excerpt(_said(error), partial(without_key, key=key))
        return f"HTTP {error.status_code}, {advice}: {said}"
    if isinstance(error, OpenAIError):
        return excerpt(str(error), partial(without_key, key=key))
    return f"it did not answer in the OpenAI protocol ({kind_of_failure(error)}); check base_url"


def _said(error: "APIStatusError") -> str:
    """The server's own words, without the dictionary that they came in."""
    if isinstance(error.body, dict):
        told: object = cast("dict[str, object]", error.body).get("message")
        if isinstance(told, str) and told:
            return told
    return error.message


def _target(error: "APIStatusError") -> str:
    """Where a redirect leads, without what may be secret."""
    try:
        place = place_of(error.response.headers.get("location", ""))
    except ValueError:
        return ""
    return f" to {place}" if place else ""

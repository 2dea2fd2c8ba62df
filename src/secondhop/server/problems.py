"""Errors as RFC 9457 problem documents (application/problem+json)."""

import logging
import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from secondhop import errors

logger = logging.getLogger(__name__)

STATUSES: Final[Sequence[tuple[type[errors.SecondhopError], int]]] = (
    (errors.NotStoredError, 404),
    (errors.UsageError, 422),
    (errors.UnknownEntityError, 404),
    (errors.UnknownSessionError, 404),
    (errors.SessionOverError, 410),
    (errors.VoteRefusedError, 422),
    (errors.SessionError, 409),
    (errors.IngestError, 422),
    (errors.StoreFullError, 507),
    (errors.StoreBusyError, 503),
    (errors.StoreUnavailableError, 503),
    (errors.ReadOnlyStoreError, 503),
    (errors.UnfinishedForgettingError, 503),
    (errors.ModelError, 502),
)
"""The first class that matches decides; an error that matches none is a 500."""

TITLES: Final = {413: "Content too large"}
"""Titles of statuses whose phrase depends on the version of Python."""

UNPARSED: Final = "There was an error parsing the body"
"""What FastAPI says of JSON that Python's parser gave up on."""

DETAILS: Final = ("session_id", "voted", "current", "max_rounds", "memory_id", "round")
"""Attributes of errors that become members of the document."""


class Problem(BaseModel):
    """What went wrong (RFC 9457). Some problems have members of their own, like `session_id`."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "example": {
                "type": "urn:secondhop:problem:unknown-session",
                "title": "Unknown session",
                "status": 404,
                "detail": "no session 'x' is known for this entity; start a new session",
                "session_id": "x",
            }
        },
    )

    type: str = Field(description="A URN that names the kind of problem.")
    title: str
    status: int
    detail: str = Field(description="What happened, then what to do.")


def problem_of(error: errors.SecondhopError) -> Problem:
    """The document of our error. For a broken store or model it tells only the kind of error."""
    status = next((code for kind, code in STATUSES if isinstance(error, kind)), 500)
    name = words_of(type(error).__name__.removesuffix("Error"))
    detail = str(error)
    if isinstance(error, errors.UnknownEntityError):
        detail = f"no memory is stored for entity {error.entity!r}; store some first"
    elif isinstance(error, errors.NotStoredError):
        detail = f"{error.what}; GET /memories, /cues and /traces of the entity list what is stored"
    elif status >= 500:
        logger.error("%s: %s", type(error).__name__, error)
        detail = "the server could not do this; its log says more"
        if isinstance(error, errors.StoreUnavailableError):
            detail = "the store behind this server does not answer; its log says more"
        if isinstance(error, errors.ReadOnlyStoreError):
            detail = (
                "the store behind this server cannot be written, which even reading needs; "
                "its operator has to make the folder writable"
            )
    members = {key: getattr(error, key) for key in DETAILS if hasattr(error, key)}
    return Problem(
        type=type_of(name),
        title=name.capitalize(),
        status=status,
        detail=detail,
        **members,
    )


def type_of(title: str) -> str:
    """The URN of a title: "Not found" gives urn:secondhop:problem:not-found."""
    return f"urn:secondhop:problem:{title.lower().replace(' ', '-')}"


def words_of(name: str) -> str:
    """A class name in words.

    >>> words_of("RoundMovedOn")
    'round moved on'
    """
    return re.sub(r"(?<!^)(?=[A-Z])", " ", name).lower()


def response_of(problem: Problem, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """The document as a response."""
    return JSONResponse(
        problem.model_dump(),
        status_code=problem.status,
        headers=dict(headers or {}),
        media_type="application/problem+json",
    )


def refused(
    status: int, detail: str = "", headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """A problem of HTTP itself (no such path, no token, …); `detail` defaults to the title."""
    title = TITLES.get(status) or HTTPStatus(status).phrase.capitalize()
    problem = Problem(type=type_of(title), title=title, status=status, detail=detail or title)
    return response_of(problem, headers)


async def on_error_of_ours(_: Request, error: Exception) -> JSONResponse:
    """Handles `SecondhopError`."""
    assert isinstance(error, errors.SecondhopError)
    return problem_response(error)


def problem_response(error: errors.SecondhopError) -> JSONResponse:
    """An error of ours as a response; a 503 says when to try again."""
    problem = problem_of(error)
    return response_of(problem, {"Retry-After": "5"} if problem.status == 503 else None)


async def on_http_error(_: Request, error: Exception) -> JSONResponse:
    """Handles HTTPException, whether Starlette, FastAPI, the gate or a route raised it."""
    assert isinstance(error, HTTPException)
    detail = str(error.detail)
    if detail == UNPARSED:
        detail = "the body cannot be read: a number has too many digits, or it nests too deeply"
    return refused(error.status_code, detail, error.headers)


async def on_invalid(request: Request, error: Exception) -> JSONResponse:
    """Handles invalid bodies and parameters, without repeating their values."""
    assert isinstance(error, RequestValidationError)
    wrong = [said_of(one, request) for one in error.errors()]
    problem = Problem(
        type="urn:secondhop:problem:invalid-request",
        title="Invalid request",
        status=422,
        detail="; ".join(f"{one['at']}: {one['says']}" for one in wrong[:3]),
        **{"errors": wrong[:20]},
    )
    return response_of(problem)


def said_of(wrong: Mapping[str, Any], request: Request) -> dict[str, str]:
    """Where a request is invalid, and why; also whether its body was not sent as JSON."""
    if wrong["type"] == "json_invalid":
        where = f"character {wrong['loc'][-1]}: {wrong['ctx']['error']}"
        return {"at": "body", "says": f"it is not JSON ({where})"}
    sent_as = request.headers.get("content-type", "")
    if tuple(wrong["loc"]) == ("body",) and "json" not in sent_as and wrong["type"] != "missing":
        return {"at": "body", "says": "send it with the header Content-Type: application/json"}
    return {"at": ".".join(map(str, wrong["loc"])), "says": wrong["msg"]}


async def on_fault(_: Request, error: Exception) -> JSONResponse:
    """Handles unexpected errors; Starlette logs the traceback afterwards."""
    return refused(500, "the server made a mistake; its log says more")


def add_problem_handlers(app: FastAPI) -> None:
    """Make every error leave as a problem document."""
    app.add_exception_handler(errors.SecondhopError, on_error_of_ours)
    app.add_exception_handler(HTTPException, on_http_error)
    app.add_exception_handler(RequestValidationError, on_invalid)
    app.add_exception_handler(Exception, on_fault)


PROBLEMS: Final[dict[int | str, dict[str, Any]]] = {
    "default": {
        "description": "What went wrong.",
        "content": {
            "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
        },
    }
}
"""The error response of every route in the OpenAPI description."""

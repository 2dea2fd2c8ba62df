"""Checks every request: who calls, how often, and how much is sent."""

import asyncio
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from secondhop.errors import StoreError
from secondhop.server.limits import RateLimiter, ServerLimits
from secondhop.server.metrics import Metrics
from secondhop.server.problems import problem_response, refused
from secondhop.server.tokens import LOCAL, Keyring, Token

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

HEADER_BYTES = 32_000

ALWAYS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""Headers of every answer, unless its route sets its own."""


@dataclass
class Gate:
    """The outermost ASGI middleware: refuses bad requests, counts all, and limits body and time."""

    app: ASGIApp
    keyring: Keyring | None
    """The valid tokens; None lets everyone who reaches the server do everything."""
    limits: ServerLimits
    metrics: Metrics
    expect_store: Callable[[], None]
    """Raises if the store is gone. Tokens are kept there, so it comes first."""
    hosts: Collection[str] = ()
    """Host names that a request may use; (): any. They keep a page of another site from reaching
    a server without tokens through DNS rebinding."""
    origins: Collection[str] = ()
    """Other sites whose pages may write here."""

    def __post_init__(self) -> None:
        self._rates = RateLimiter(self.limits.requests_per_s)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check an HTTP request, then pass it on or refuse it; other scopes pass unchecked."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        scope = with_entity_encoded(scope)
        answer = Answer(send)
        started = time.perf_counter()
        self.metrics.at_work.inc()
        try:
            refusal = await self._refusal(scope)
            if refusal is None:
                await self._passed(scope, receive, answer)
            else:
                await refusal(scope, receive, answer.send)
        finally:
            self.metrics.at_work.dec()
            self._count(scope, answer.status, time.perf_counter() - started)

    async def _passed(self, scope: Scope, receive: Receive, answer: "Answer") -> None:
        limits = self.limits.of(str(scope["path"]))
        body = LimitedBody(receive, most=limits.body_bytes, seconds=limits.body_s)
        try:
            async with asyncio.timeout(limits.request_s):
                await self.app(scope, body.receive, answer.send)
        except TimeoutError:
            if not answer.status:
                late = refused(504, "it took too long and was stopped; ask for less, or try again")
                await late(scope, receive, answer.send)

    async def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers, path = Headers(scope=scope), str(scope["path"])
        if len(headers.getlist("host")) > 1:
            return refused(400, "send exactly one Host header")
        if sum(len(name) + len(value) for name, value in scope["headers"]) > HEADER_BYTES:
            return refused(431)
        host = headers.get("host", "")
        if self.hosts and host_name(host) not in self.hosts:
            return refused(
                421,
                "this server does not answer to that host name; use the name it was started with",
            )
        origin = headers.get("origin")
        try:
            own = origin is None or origin in self.origins or urlsplit(origin).netloc == host
        except ValueError:
            return refused(400, "the Origin header is not the address of a site")
        if not own and scope["method"] not in SAFE_METHODS:
            return refused(
                403, "pages of other sites may not write here; `secondhop serve --cors` allows one"
            )
        try:
            if needs_token(path):
                self.expect_store()
            token = await self._caller(headers) if needs_token(path) else None
        except StoreError as error:
            return problem_response(error)
        wait_s = self._rates.wait_s(token.token_id if token else address(scope))
        if wait_s:
            later = {"Retry-After": str(int(wait_s) + 1)}
            return refused(429, f"too many requests; wait {wait_s:.1f} s", later)
        if token is None and needs_token(path) and scope["method"] != "OPTIONS":
            who = "send `Authorization: Bearer TOKEN` with a token that is valid"
            return refused(401, who, {"WWW-Authenticate": "Bearer"})
        most = self.limits.of(path).body_bytes
        if declared(headers) > most:
            return refused(413, too_large(most))
        scope.setdefault("state", {})["caller"] = token
        return None

    async def _caller(self, headers: Headers) -> Token | None:
        if self.keyring is None or await self.keyring.lets_everyone_in():
            return LOCAL
        kind, _, text = headers.get("authorization", "").partition(" ")
        return await self.keyring.find(text.strip()) if kind.lower() == "bearer" else None

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        """Count a request under its route's name; a caller's path never becomes a label."""
        route = getattr(scope.get("endpoint"), "__name__", "none")
        method = scope["method"] if scope["method"] in {"GET", "POST", "PATCH", "DELETE"} else "-"
        self.metrics.requests.labels(method, route, str(status)).inc()
        self.metrics.request_s.labels(method, route).observe(seconds)


class Answer:
    """Sends an answer with the headers in `ALWAYS`, and remembers its status."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0
        """0 before the answer begins."""

    async def send(self, message: Message) -> None:
        """Send an ASGI message; the first one gets the headers."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in ALWAYS.items():
                headers.setdefault(name, value)
        await self._send(message)


class LimitedBody:
    """Reads a request body that is limited in bytes and in seconds."""

    def __init__(self, receive: Receive, *, most: int, seconds: float) -> None:
        self._receive, self._left, self._most = receive, most, most
        self._until = time.monotonic() + seconds
        self._whole = False

    async def receive(self) -> Message:
        """The next ASGI message. After the whole body there is no limit on the wait.

        Raises:
            HTTPException: the body is too long (413) or too slow (408).
        """
        if self._whole:
            return await self._receive()
        try:
            async with asyncio.timeout(self._until - time.monotonic()):
                message = await self._receive()
        except TimeoutError:
            raise HTTPException(408, "the body did not arrive in time") from None
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise HTTPException(413, too_large(self._most))
        self._whole = not message.get("more_body", False)
        return message


def with_entity_encoded(scope: Scope) -> Scope:
    """The scope with the entity's part of the path percent-encoded, and the rest decoded.

    So a slash in the name of an entity ends no part of the path. `EntityName` decodes the name.
    """
    path, start = str(scope["path"]), "/v1/entities/"
    raw = scope.get("raw_path", b"").decode("ascii", "replace")
    if not raw.startswith(start) or unquote(raw) != path:
        raw = quote(path)
    if not raw.startswith(start):
        return scope
    entity, slash, rest = raw.removeprefix(start).partition("/")
    return {**scope, "path": f"{start}{entity}{slash}{unquote(rest)}"}


def needs_token(path: str) -> bool:
    """Whether a path needs a token. The page and the probes are open: they show no memories."""
    return path.startswith("/v1") or path == "/metrics"


def too_large(most: int) -> str:
    """What is said (413) of a body of more than `most` bytes."""
    return f"the body may have at most {most:,} bytes"


def declared(headers: Headers) -> int:
    """The body length that a request declares; 0 if it declares none."""
    length = headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdecimal() else 0


def host_name(host: str) -> str:
    """A Host header without its port."""
    return host.lower() if host.endswith("]") else host.lower().rpartition(":")[0] or host.lower()


def address(scope: Scope) -> str:
    """The network address of a client; "?" if it is unknown."""
    client: tuple[str, int] | None = scope.get("client")
    return client[0] if client else "?"

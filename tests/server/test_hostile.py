"""Three hundred hostile requests in raw bytes: none gets through, and none stops the server."""

import json
import socket
from collections.abc import Iterator
from itertools import product
from urllib.parse import quote

import pytest
from tests.mcp.mcp_world import MARA, NOOR
from tests.server.served_world import QUESTION, Running, new_store, serving

from secondhop.server.limits import ServerLimits

HERE, THERE = f"/v1/entities/{MARA}", f"/v1/entities/{NOOR}"
SECRETS = (b"night shifts", b"shorten onboarding", b"digest")
"""Words from Noor's memory, from Mara's, and from the token file."""

NASTY = (
    "..", "../..", "..%2f..%2f", "%2e%2e", "%00", "a%00b", "/etc/passwd", "%2fetc%2fpasswd",
    "....//", "..\\..\\", "~root", "tokens.json", "a" * 5000, "'; drop table memories; --",
    '"*" OR', "NEAR(", "%ff%fe", "%ed%a0%80", "\u202e", "<script>", "{{7*7}}", "${jndi:x}",
)  # fmt: skip
WRONG_TOKENS = (
    "", "Bearer", "Bearer ", "Bearer null", "Bearer " + "x" * 4000, "Basic bWFyYTpt", "bearer\t1",
    "Bearer shop_" + "A" * 43, "Token m", "Bearer é",
)  # fmt: skip
BODIES = (
    b"", b"{", b"null", b"[]", b"\xff\xfe", b'{"question": 7}', b'{"question": ""}', b"{}",
    b'{"question": "x", "k": 0}', b'{"question": "x", "k": 1e400}', b'{"question": "x", "k": -1}',
    b'{"question": "x", "k": 1' + b"0" * 5000 + b"}", b'{"question": "\\ud800"}',
    b'{"question": "\\u0000"}', b'{"question": "x", "at": "9999-12-31T23:59:59-23:59"}',
    b'{"question": "x", "at": "0001-01-01T00:00:00+23:59"}', b'{"question": "x", "at": "soon"}',
    b'{"question": "x", "path": "/etc/passwd"}', b'{"question": NaN}', b"[" * 9000,
    b'{"a":' * 3000, b'{"question": ["x"]}', b'{"question": {"$ne": null}}', b"question=x",
)  # fmt: skip


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    store = tmp_path_factory.mktemp("hostile") / "store"
    limits = ServerLimits(requests_per_s=0, body_bytes=50_000, body_s=0.3)
    with serving(store, new_store(store), limits=limits) as one:
        yield one


def request(line: str, *headers: str, body: bytes = b"", length: int | None = None) -> bytes:
    """The bytes of a request exactly as given."""
    size = f"Content-Length: {len(body) if length is None else length}"
    head = "\r\n".join([f"{line} HTTP/1.1", "Host: 127.0.0.1", "Connection: close", size, *headers])
    return f"{head}\r\n\r\n".encode("latin-1", "replace") + body


def sent(running: Running, raw: bytes) -> tuple[int, bytes]:
    """(status, whole answer); status 0: the connection was closed without an answer."""
    host, port = running.url.removeprefix("http://").split(":")
    answer = b""
    with socket.create_connection((host, int(port)), timeout=30) as line:
        try:
            line.sendall(raw)
            while chunk := line.recv(65536):
                answer += chunk
        except ConnectionError:
            pass
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0, answer


def without_token(_: str) -> Iterator[bytes]:
    paths = (HERE, f"{HERE}/memories", f"{HERE}/memories/plan", "/metrics", "/v1/entities", THERE)
    for path, wrong in product(paths, WRONG_TOKENS):
        yield request(f"GET {path}", f"Authorization: {wrong}")
    for path in ("/%76%31/entities/mara", "//v1/entities/mara", "/v1//entities", "/V1/entities"):
        yield request(f"GET {path}", "Authorization: Bearer x")


def path_tricks(mara: str) -> Iterator[bytes]:
    for nasty in (one if "%" in one else quote(one, safe="/\\~.") for one in NASTY):
        for path in (
            f"/static/{nasty}",
            f"/v1/entities/{nasty}/memories",
            f"{HERE}/memories/{nasty}",
            f"{HERE}/traces/{nasty}",
            f"{HERE}/traces/{nasty}/explain?memory_id={nasty}",
            f"{HERE}/sessions/{nasty}",
        ):
            yield request(f"GET {path}", mara)
        yield request(f"POST {HERE}/ingest?name={nasty}&dry_run=true", mara, body=b"{")


def of_others(mara: str) -> Iterator[bytes]:
    asked = json.dumps({"question": QUESTION}).encode()
    kind = "Content-Type: application/json"
    for path in ("/recall", "/recall/stream", "/sessions", "/remember", "/observe"):
        yield request(f"POST {THERE}{path}", mara, kind, body=asked)
    for path in ("/memories", "/memories/noors-plan", "/briefing", "/facts", "/graph", ""):
        yield request(f"GET {THERE}{path}", mara)
    for method in ("DELETE", "PUT", "TRACE", "CONNECT", "PATCH", "FOO"):
        yield request(f"{method} {THERE}/memories/noors-plan", mara)
        yield request(f"{method} {THERE}", mara)
    for entity in ("mara%2f..%2fnoor", "mara/../noor", "mara;noor", "mara%00noor", "NOOR", "*"):
        yield request(f"GET /v1/entities/{entity}/memories", mara)
    yield request(f"GET {HERE}/memories/noors-plan", mara)
    yield request(f"DELETE {HERE}/memories/noors-plan", mara)


def broken_bodies(mara: str) -> Iterator[bytes]:
    kind = "Content-Type: application/json"
    for path, body in product(("/recall", "/sessions"), BODIES):
        yield request(f"POST {HERE}{path}", mara, kind, body=body)
    big = b'{"question": "' + b"x" * 60_000 + b'"}'
    yield request(f"POST {HERE}/recall", mara, kind, body=big)
    yield request(f"POST {HERE}/recall", mara, kind, body=b"{}", length=10**15)
    yield request(f"POST {HERE}/recall", mara, kind, body=b"{", length=100)
    yield request(f"POST {HERE}/recall", mara, kind, body=b"{}", length=-5)
    yield request(f"POST {HERE}/recall", mara, "Transfer-Encoding: chunked", body=b"zz\r\n{}")
    yield request(f"GET {HERE}", mara, *[f"X-{n}: {'y' * 900}" for n in range(200)])
    yield request(f"GET {HERE}", mara, "Host: evil.example")
    yield b"\x16\x03\x01\x02\x00\x01\x00" + b"\x00" * 200
    yield b"GET / HTTP/9.9\r\n\r\n"


def test_three_hundred_hostile_requests_get_nothing(running: Running) -> None:
    mara = f"Authorization: Bearer {running.tokens[MARA]}"
    attacks = [
        raw for kind in (without_token, path_tricks, of_others, broken_bodies) for raw in kind(mara)
    ]
    assert len(attacks) >= 300
    through: list[tuple[bytes, bytes]] = []
    for raw in attacks:
        status, answer = sent(running, raw)
        # an ingest may succeed, because only the last part of its `name` counts
        harmless = status == 0 or 400 <= status < 500 or b"/ingest?" in raw
        if not harmless or status >= 500 or any(secret in answer for secret in SECRETS):
            through.append((raw[:200], answer[:300]))
    assert through == []

    with running.client() as client:
        assert client.get(HERE).json()["memories"] == 10
        assert client.post(f"{HERE}/recall", json={"question": QUESTION}).status_code == 200
    with running.client(NOOR) as client:
        assert client.get(THERE).json()["memories"] == 1
    assert not list(running.store.rglob("*passwd*"))
    assert not list(running.store.rglob("uploads"))

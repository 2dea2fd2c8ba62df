"""A store of two people's memories behind a real HTTP server on the loopback interface."""

import asyncio
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import uvicorn
from tests.mcp.mcp_world import MARA, NOOR, options, store_two

from secondhop.server.app import create_app
from secondhop.server.limits import ServerLimits
from secondhop.server.serve import served_of
from secondhop.server.tokens import EVERY_ENTITY, FILE, Keyring, Scope, TokenFile

QUESTION = "Help me prepare for my Carefeed interview"
UNLIMITED = ServerLimits(requests_per_s=0)


@dataclass(frozen=True, kw_only=True)
class Running:
    """A server and its tokens."""

    url: str
    store: Path
    tokens: dict[str, str]
    """{holder: token}; the holders are mara, noor, reader (of Mara's memory) and admin."""

    def client(self, who: str = MARA) -> httpx.Client:
        """A client with the token of `who`; "": without a token."""
        headers = {"Authorization": f"Bearer {self.tokens[who]}"} if who else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, verify=False)  # no TLS


def new_store(folder: Path) -> dict[str, str]:
    """Fill a store and make its tokens; returns {holder: token}."""
    asyncio.run(store_two(folder))
    file = TokenFile(folder / FILE)
    wanted: Sequence[tuple[str, str, Scope]] = (
        (MARA, MARA, "write"),
        (NOOR, NOOR, "write"),
        ("reader", MARA, "read"),
        ("admin", EVERY_ENTITY, "admin"),
    )
    return {who: file.create([entity], scope)[0] for who, entity, scope in wanted}


@contextmanager
def serving(
    store: Path,
    tokens: dict[str, str] | None = None,
    *,
    limits: ServerLimits = UNLIMITED,
    origins: Sequence[str] = (),
    llm: str = "offline",
    prompts: Path | None = None,
    settings: Sequence[str] = (),
) -> Generator[Running, None, None]:
    """Serve a store from a thread of this process; without `tokens`, to all on this machine."""
    app = create_app(
        served_of(replace(options(store), llm=llm, prompts=prompts, settings=list(settings))),
        keyring=Keyring(TokenFile(store / FILE)) if tokens else None,
        limits=limits,
        hosts=("127.0.0.1", "localhost"),
        origins=origins,
    )
    config = uvicorn.Config(app, port=0, log_level="warning", timeout_graceful_shutdown=10)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        wait_for(lambda: server.started)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield Running(url=f"http://127.0.0.1:{port}", store=store, tokens=tokens or {})
    finally:
        server.should_exit = True
        thread.join(timeout=30)


def wait_for(happened: Callable[[], bool], *, seconds: float = 30) -> None:
    """Wait until `happened` returns true."""
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.02)

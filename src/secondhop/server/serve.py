"""Runs the server, and shuts it down in order."""

import sys
from collections.abc import Callable, Collection, Sequence

import uvicorn

from secondhop.cli.mcp_command import Address
from secondhop.cli.opening import chosen_embedder, expect_sessions, pool_of, store_of
from secondhop.cli.options import Common
from secondhop.errors import UsageError
from secondhop.server.access import Served
from secondhop.server.app import create_app
from secondhop.server.limits import ServerLimits
from secondhop.server.metrics import Metrics
from secondhop.server.tokens import Keyring, Token, tokens_of
from secondhop.wording import counted

GRACE_S = 30
"""How long running requests may take to finish after a signal."""


def served_of(common: Common) -> Served:
    """What the routes share, for the store that the options name; memories share one embedder."""
    embedder = chosen_embedder(common)
    return Served(
        pool_of(common, embedder=embedder),
        store=store_of(common),
        embedder=embedder,
        metrics=Metrics(),
    )


async def serve(
    common: Common,
    at: Address,
    *,
    limits: ServerLimits,
    origins: Collection[str] = (),
    also: Sequence[Token] = (),
    listening: Callable[[str], None] | None = None,
) -> None:
    """Serve HTTP until a signal ends it.

    Args:
        also: extra tokens that only this process accepts.
        listening: called with the URL as soon as clients can connect; None: it is printed on
            standard error.

    Raises:
        SecondhopError: the address cannot be bound.
        UsageError: there are no tokens, and other machines can reach the address.
    """
    await expect_sessions(common)
    served = served_of(common)
    tokens = tokens_of(served.store)
    known = [*await tokens.current(), *also]
    keyring = Keyring(tokens, also=also)
    await keyring.lets_everyone_in()
    expect_private(at, known)
    with at.listening() as sock:
        host, url = at.name, f"http://{at.name}:{sock.getsockname()[1]}"
        app = create_app(
            served,
            keyring=keyring,
            limits=limits,
            hosts={host, "127.0.0.1", "localhost", "[::1]"} if at.is_loopback else (),
            origins=origins,
        )
        config = uvicorn.Config(
            app,
            log_level="warning",
            server_header=False,
            timeout_graceful_shutdown=GRACE_S,
            timeout_keep_alive=20,
        )
        if listening is None:
            print(f"secondhop: serving {url} ({who_may(known)})", file=sys.stderr, flush=True)
        else:
            listening(url)
        await uvicorn.Server(config).serve(sockets=[sock])


def expect_private(at: Address, tokens: Sequence[Token]) -> None:
    """Raise UsageError if other machines could reach a server without tokens."""
    if not tokens and not at.is_loopback:
        raise UsageError(
            f"{at.host} can be reached by other machines, and this store has no tokens; make one "
            f"with `secondhop tokens create ENTITY`, or serve on 127.0.0.1"
        )


def who_may(tokens: Sequence[Token]) -> str:
    """Who may call the server, in words."""
    if tokens:
        return counted(len(tokens), "bearer token")
    return "without tokens, for this machine alone; `secondhop tokens create` makes one"

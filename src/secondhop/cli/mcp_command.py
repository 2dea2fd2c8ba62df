"""The command `mcp`: serves memories to agents over the Model Context Protocol."""

from dataclasses import replace
from importlib.util import find_spec
from ipaddress import ip_address
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from secondhop.cli.options import Common, SessionsPlace
from secondhop.errors import SecondhopError, UsageError, said_by_system

if TYPE_CHECKING:
    from socket import socket


class Address(NamedTuple):
    """The address that HTTP is served on."""

    host: str
    port: int
    """0: any free port."""

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine reaches it."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def name(self) -> str:
        """The host as it is written in a URL."""
        return f"[{self.host}]" if ":" in self.host else self.host

    def listening(self) -> "socket":
        """A socket that listens there."""
        from socket import AF_INET, AF_INET6, IPPROTO_TCP, TCP_NODELAY, create_server

        family = AF_INET6 if ":" in self.host else AF_INET
        try:
            sock = create_server((self.host, self.port), family=family)
        except OSError as error:
            why, _, _ = said_by_system(error).partition(" (while")
            raise SecondhopError(
                f"cannot listen on {self.name}:{self.port}: {why}; name another port (`serve "
                f"--port`, `mcp --http`)"
            ) from error
        # Connections inherit this option. asyncio sets it only on sockets made with a protocol.
        # Without it, the second of two writes waits 40 ms for the first one's acknowledgement.
        sock.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        return sock


def address(text: str) -> Address:
    """HOST:PORT, or only PORT for 127.0.0.1.

    >>> address("8765")
    Address(host='127.0.0.1', port=8765)
    >>> address("[::1]:0")
    Address(host='::1', port=0)
    """
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdecimal() and int(port) < 1 << 16):
        raise typer.BadParameter(f"{text!r} is not HOST:PORT, like 127.0.0.1:8765")
    return Address(host.strip("[]") or "127.0.0.1", int(port))


def mcp(
    common: Common,
    http: Annotated[
        Address | None,
        typer.Option(
            parser=address, metavar="HOST:PORT", help="Serve HTTP there. [standard input/output]"
        ),
    ] = None,
    sessions: SessionsPlace = None,
) -> None:
    """Serve memories to agents over the Model Context Protocol.

    Over standard input and output, or over HTTP, where the store's tokens say whose memory it is.
    """
    if find_spec("mcp") is None:
        raise SecondhopError(
            "the MCP server needs the library mcp, which is not installed; "
            "install it: pip install '/path/to/the/checkout[mcp]'"
        )
    from secondhop.cli.opening import run
    from secondhop.cli.serve_command import kept_tokens

    common = replace(common, sessions=sessions)
    if http is None:
        from secondhop.mcp.server import serve_stdio

        run(serve_stdio(common))
        return
    kept = kept_tokens(common)
    tokens = kept if kept.tokens() else None
    check_open_to(http, common, tokens=tokens is not None)
    from secondhop.mcp.server import serve_http

    run(serve_http(common, http, tokens=tokens))


def check_open_to(http: Address, common: Common, *, tokens: bool) -> None:
    """Check that HTTP clients need a token, or that one entity is served on this machine only."""
    if tokens:
        if common.entity is not None:
            raise UsageError("the store's tokens say whose memory it is; leave out --entity")
        return
    if not (http.is_loopback and common.entity is not None):
        raise UsageError(
            "HTTP without tokens is served only on this machine's loopback address and for one "
            "named --entity; make a token with `secondhop tokens create ENTITY --scope "
            "write`, or give --http 127.0.0.1:PORT --entity E"
        )

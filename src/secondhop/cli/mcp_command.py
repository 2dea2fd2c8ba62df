"""The command `mcp`: a memory served to agents over the Model Context Protocol."""

from dataclasses import replace
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from secondhop.cli.options import Common, SessionsPlace, given_path
from secondhop.errors import SecondhopError, UsageError

if TYPE_CHECKING:
    from secondhop.mcp.tokens import Tokens


class McpExtraMissingError(SecondhopError):
    """The MCP server was asked for, and its library is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "the MCP server needs the library mcp, which is not installed; "
            "install it: pip install '/path/to/the/checkout[mcp]'"
        )


class Address(NamedTuple):
    """Where HTTP is served."""

    host: str
    port: int
    """0: any free one."""

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine reaches it."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


def address(text: str) -> Address:
    """HOST:PORT, or PORT alone, which is one of 127.0.0.1.

    >>> address("8765")
    Address(host='127.0.0.1', port=8765)
    >>> address("[::1]:0")
    Address(host='::1', port=0)
    """
    host, _, port = text.rpartition(":")
    if not (port.isascii() and port.isdecimal() and int(port) < 1 << 16):
        raise typer.BadParameter(f"{text!r} is no HOST:PORT, like 127.0.0.1:8765")
    return Address(host.strip("[]") or "127.0.0.1", int(port))


def mcp(
    common: Common,
    http: Annotated[
        Address | None,
        typer.Option(
            parser=address, metavar="HOST:PORT", help="Serve HTTP there. [standard input/output]"
        ),
    ] = None,
    tokens: Annotated[
        Path | None,
        typer.Option(parser=given_path, metavar="FILE", help="Bearer tokens: {token: entity}."),
    ] = None,
    sessions: SessionsPlace = None,
) -> None:
    """Serve the memory to agents over the Model Context Protocol.

    Over standard input and output, or over HTTP with tokens that say whose memory it is.
    """
    if find_spec("mcp") is None:
        raise McpExtraMissingError
    if common.at is not None:
        raise UsageError("a server goes by the clock; give `at` with the call instead of --at")
    if tokens is not None and http is None:
        raise UsageError("--tokens is for HTTP; give --http HOST:PORT, too")
    if http is not None:
        check_open_to(http, common, tokens)
    from secondhop.cli.opening import run
    from secondhop.mcp.server import serve_http, serve_stdio

    common = replace(common, sessions=sessions)
    if http is None:
        run(serve_stdio(common))
    else:
        run(serve_http(common, http, tokens=read(tokens)))


def check_open_to(http: Address, common: Common, tokens: Path | None) -> None:
    """Over HTTP a client needs a token, unless the server serves one entity on this machine.

    Raises:
        UsageError: no tokens, and more than this machine, or no entity is named; or both
            tokens and an entity.
    """
    if tokens is not None:
        if common.entity is not None:
            raise UsageError("--tokens says whose memory it is; leave out --entity")
        return
    if not (http.is_loopback and common.entity is not None):
        raise UsageError(
            "HTTP without tokens is served on this machine's loopback address alone, for one "
            "--entity that is named; give --tokens FILE (one line a token, `TOKEN: ENTITY`), or "
            "--http 127.0.0.1:PORT --entity E"
        )


def read(tokens: Path | None) -> "Tokens | None":
    """The tokens of the file, if one is named."""
    from secondhop.mcp.tokens import read_tokens

    return read_tokens(tokens) if tokens is not None else None

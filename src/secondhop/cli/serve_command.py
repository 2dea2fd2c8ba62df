"""The commands `serve`, `ui` and `tokens`: a store over HTTP."""

import sys
from contextlib import closing
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from secondhop.cli.mcp_command import Address
from secondhop.cli.options import Common, SessionsPlace
from secondhop.cli.terminal import clean, print_json
from secondhop.cli.work import tell
from secondhop.errors import SecondhopError, UsageError
from secondhop.server.limits import REQUESTS_PER_S, ServerLimits
from secondhop.server.process import set_up_process

if TYPE_CHECKING:
    from secondhop.server.tokens import Tokens

Port = Annotated[int, typer.Option(min=0, max=65535, help="0: any free one.")]


def serve(
    common: Common,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Port = 8000,
    rate: Annotated[
        float, typer.Option(min=0, metavar="N", help="Requests per second and caller; 0: no limit.")
    ] = REQUESTS_PER_S,
    cors: Annotated[
        list[str] | None,
        typer.Option(metavar="ORIGIN", help="A web site whose pages may call it; repeatable."),
    ] = None,
    sessions: SessionsPlace = None,
) -> None:
    """Serve the store over HTTP, with a page to look at it.

    Without tokens it serves only this machine; see `secondhop tokens`.
    """
    prepare(common)
    from secondhop.cli.opening import run
    from secondhop.server.serve import serve as serving

    run(
        serving(
            replace(common, sessions=sessions),
            Address(host, port),
            limits=ServerLimits(requests_per_s=rate),
            origins=cors or (),
        )
    )


def ui(common: Common, port: Port = 0) -> None:
    """Open a page in the browser that asks this store.

    It shows how each answer was found, and takes votes.
    """
    prepare(common)
    import webbrowser
    from urllib.parse import quote

    from secondhop.cli.opening import entity_of, run
    from secondhop.server.serve import serve as serving
    from secondhop.server.tokens import EVERY_ENTITY, new_token

    text, token = new_token([EVERY_ENTITY], "admin", note="the page of `secondhop ui`")
    entity = entity_of(common)

    def show(url: str) -> None:
        page = f"{url}/#token={text}&entity={quote(entity, safe='')}"
        print(f"open {page}", flush=True)
        webbrowser.open(page)

    limits = ServerLimits(requests_per_s=0)
    run(serving(common, Address("127.0.0.1", port), limits=limits, also=[token], listening=show))


def create(
    common: Common,
    entities: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ENTITY]...", help="Entities that it opens; * for all."),
    ] = None,
    scope: Annotated[
        Literal["read", "write", "admin"], typer.Option(help="Each includes the one before.")
    ] = "read",
    note: Annotated[str, typer.Option(help="What it is for.")] = "",
) -> None:
    """Create a bearer token and print it once; only its hash is kept."""
    from secondhop.cli.opening import directory_of
    from secondhop.server.tokens import EVERY_ENTITY

    chosen = [*(entities or []), *([common.entity] if common.entity else [])]
    if not chosen or not all(name.strip() for name in chosen):
        raise UsageError("name the entities that the token opens, or '*' for all of the store")
    with closing(directory_of(common).place) as place:
        absent = [one for one in chosen if one != EVERY_ENTITY and not place.holds(one)]
    text, token = kept_tokens(common).create(chosen, scope, note=note)
    if absent:
        names = ", ".join(map(repr, absent))
        print(f"secondhop: nothing is stored for {names} yet", file=sys.stderr)
    document = {"token": text, **token.model_dump(mode="json", exclude={"digest"})}
    tell(common, document, lambda _: typer.echo(text))


def list_tokens(common: Common) -> None:
    """List the tokens, without their texts."""
    tokens = kept_tokens(common).tokens()
    if common.json:
        print_json([token.model_dump(mode="json", exclude={"digest"}) for token in tokens])
        return
    for token in tokens:
        row = (token.token_id, token.scope, f"{token.created_at:%Y-%m-%d}")
        typer.echo(clean("  ".join([*row, ", ".join(token.entities), token.note])))
    if not tokens:
        typer.echo("no tokens: `secondhop serve` serves this machine alone")


def revoke(common: Common, token_id: Annotated[str, typer.Argument(metavar="TOKEN_ID")]) -> None:
    """Revoke a token; a running server refuses it at once, one on PostgreSQL within a second."""
    kept_tokens(common).revoke(token_id)
    typer.echo(f"revoked {token_id}")


def kept_tokens(common: Common) -> "Tokens":
    """The tokens of the chosen store."""
    from secondhop.cli.opening import store_of
    from secondhop.server.tokens import tokens_of

    return tokens_of(store_of(common))


def prepare(common: Common) -> None:
    """Set up the process. Raises if the server's libraries are missing."""
    if not all(map(find_spec, ("fastapi", "uvicorn", "prometheus_client"))):
        raise SecondhopError(
            "the HTTP server needs fastapi, uvicorn and prometheus-client, and one of them is not "
            "installed; install them: pip install '/path/to/the/checkout[server]'"
        )
    set_up_process()

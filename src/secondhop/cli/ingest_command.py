"""`secondhop ingest`: store memories from files and folders."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.annotate_command import MaxTokens, MaxUsd, write_cues
from secondhop.cli.options import Common, DryRun, given_path
from secondhop.cli.progress import bars
from secondhop.cli.terminal import print_json, screen
from secondhop.errors import ModelError

if TYPE_CHECKING:
    from secondhop.ingest.ledger import IngestLedger
    from secondhop.recall import Recall


def existing_path(text: str) -> Path:
    """A path that exists, with `~` expanded."""
    path = given_path(text).expanduser()
    if not path.exists():
        raise typer.BadParameter(f"path {text!r} does not exist")
    return path


def ingest(
    common: Common,
    paths: Annotated[
        list[Path],
        typer.Argument(
            parser=existing_path, metavar="PATH...", help="Files, zip archives or folders."
        ),
    ],
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT", help="Read all of it as this format. [recognised by content]"
        ),
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="A tag for all of it, to filter by.")
    ] = None,
    annotate: Annotated[
        bool,
        typer.Option(
            "--annotate/--no-annotate", help="Let the language model, if any, write cues."
        ),
    ] = True,
    max_tokens: MaxTokens = None,
    max_usd: MaxUsd = None,
    dry_run: DryRun = False,
) -> None:
    """Store memories from files and folders.

    Unchanged memories are left alone, and memories whose files are gone are deleted. With a
    language model it also writes cues (`secondhop annotate`).
    """
    import_module("secondhop.recall")  # takes a second; inside an event loop, Ctrl-C would wait
    from secondhop.cli.ledger_view import show_ledger
    from secondhop.cli.opening import chosen_spec, opened, run
    from secondhop.ingest.ledger import NothingIngestedError
    from secondhop.models.openai_client import expect_key

    spec = chosen_spec(common) if annotate and not dry_run else None
    if spec is not None:
        try:
            expect_key(spec)
        except ModelError as error:
            raise ModelError(
                f"{error}. Nothing was stored; --llm offline stores it without cues, and "
                f"`secondhop annotate` writes them later"
            ) from error

    async def stored_from(recall: "Recall") -> "IngestLedger":
        with bars() as progress:
            return await recall.aingest(
                *paths,
                format=format,
                tags=tag or (),
                progress=progress,
                dry_run=dry_run,
                annotate=False,
            )

    async def work() -> None:
        async with opened(common, counting=True) as recall:
            try:
                ledger = await stored_from(recall)
            except NothingIngestedError as error:
                if common.json:  # the message has only the first few reasons
                    print_json(error.ledger.to_dict())
                raise
            if spec is not None:
                cues = await write_cues(recall, max_tokens=max_tokens, max_usd=max_usd)
                ledger = replace(ledger, annotation=cues)
        if common.json:
            print_json(ledger.to_dict())
        else:
            show_ledger(ledger, screen())

    try:
        run(work())
    except KeyboardInterrupt as error:
        raise KeyboardInterrupt(
            "interrupted; memories are stored whole or not at all, and the same command continues "
            "with the rest"
        ) from error

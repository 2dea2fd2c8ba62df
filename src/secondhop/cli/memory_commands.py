"""The commands that fill, ask and look after one memory."""

from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.options import Common, DryRun, given_path, moment, place_again
from secondhop.errors import UsageError

if TYPE_CHECKING:
    from secondhop.graph.result import RecallResult
    from secondhop.graph.trace import RecallTrace


def existing_path(text: str) -> Path:
    """A path at which there is something."""
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
    dry_run: DryRun = False,
) -> None:
    """Store memories from files and folders.

    What is stored and unchanged is left alone; what is gone from a folder is deleted.
    """
    import_module("secondhop.recall")  # takes a second, in which an event loop defers Ctrl-C
    from secondhop.cli.ledger_view import show_ledger
    from secondhop.cli.new_entity import notice_if_new
    from secondhop.cli.opening import opened, run
    from secondhop.cli.progress import bars
    from secondhop.cli.terminal import clean, notices, print_json, screen
    from secondhop.ingest.ledger import NothingIngestedError

    async def work() -> None:
        with bars() as progress:
            async with opened(common, counting=True) as recall:
                notice = await notice_if_new(recall, common)
                try:
                    ledger = await recall.aingest(
                        *paths, format=format, progress=progress, dry_run=dry_run
                    )
                except NothingIngestedError as error:
                    if common.json:  # the message names a few of the reasons, this all of them
                        print_json(error.ledger.to_dict())
                    raise
        if common.json:
            print_json(ledger.to_dict())
        else:
            show_ledger(ledger, screen())
        if notice:
            notices().print(clean(notice), style="yellow")

    try:
        run(work())
    except KeyboardInterrupt as error:
        raise KeyboardInterrupt(
            "interrupted; what is stored so far is stored whole, and the same command goes on "
            "with the rest"
        ) from error


def recall(
    common: Common,
    question: Annotated[str, typer.Argument(metavar="QUESTION")],
    k: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Memories to return. [6]")
    ] = None,
    tokens: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Return what fits into N tokens, instead of --k."),
    ] = None,
    trace: Annotated[
        bool, typer.Option("--trace", help="Show the whole trace: found, kept, dropped, and why.")
    ] = False,
    as_of: Annotated[
        datetime | None,
        typer.Option(parser=moment, metavar="ISO", help="What was believed then. [now]"),
    ] = None,
    include_stale: Annotated[
        bool, typer.Option("--include-stale", help="Also what was superseded, deprecated, expired.")
    ] = False,
) -> None:
    """Find the memories a question needs.

    Including those the question never mentions.
    """
    from secondhop.cli.opening import opened, run

    if not question.strip():
        raise UsageError("the question is empty; ask something")
    if k is not None and tokens is not None:
        raise UsageError("--k and --tokens are two ways to say how much; give one of them")

    async def work() -> None:
        async with opened(common, counting=tokens is not None) as memory:
            result = await memory.arecall(
                question,
                k=k,
                tokens=tokens,
                at=common.at,
                as_of=as_of,
                include_stale=include_stale,
            )
            story = memory.trace(result.trace_id) if trace else None
        answer(result, story, common)

    run(work())


def answer(result: "RecallResult", trace: "RecallTrace | None", common: Common) -> None:
    """Print a result, and its trace when there is one to show."""
    from secondhop.cli.answer_view import show_answer
    from secondhop.cli.terminal import print_json, screen
    from secondhop.cli.trace_tree import trace_tree

    if common.json:
        document = result.model_dump(mode="json")
        if trace is not None:
            document["trace"] = trace.model_dump(mode="json")
        print_json(document)
        return
    console = screen()
    show_answer(result, console, place=place_again(common))
    if trace is not None:
        console.print()
        console.print(trace_tree(trace))


def explain(
    common: Common,
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="A trace id, or a trace file.")],
    memory_id: Annotated[str, typer.Argument(metavar="MEMORY_ID")],
) -> None:
    """Say why a memory came back, or did not."""
    from secondhop.cli.explanation_view import show_explanation
    from secondhop.cli.opening import opened, run
    from secondhop.cli.terminal import print_json, screen

    async def work() -> None:
        async with opened(common) as recall:
            explanation = await recall.aexplain(as_path(trace), memory_id)
        if common.json:
            print_json(explanation.model_dump(mode="json"))
        else:
            show_explanation(explanation, screen())

    run(work())


def as_path(trace: str) -> str | Path:
    """A file of that name when there is one; else it is the id of a trace."""
    return Path(trace) if Path(trace).is_file() else trace


def graph(common: Common) -> None:
    """Print the recall graph as Mermaid text."""
    from secondhop.cli.diagram import recall_diagram
    from secondhop.cli.terminal import print_json

    diagram = recall_diagram()
    if common.json:
        print_json({"mermaid": diagram})
    else:
        typer.echo(diagram.rstrip())


def stats(common: Common) -> None:
    """Show what is stored for an entity.

    Also where its ranking needs tuning.
    """
    from dataclasses import asdict

    from secondhop.cli.learning_view import tuning_lines
    from secondhop.cli.opening import run, stored
    from secondhop.cli.stats_view import hubs_told, show_stats
    from secondhop.cli.terminal import print_json, screen

    found = run(stored(common))
    counts, rounds = asdict(found.counts), found.rounds
    if common.json:
        print_json(counts | {"hubs": found.hubs, "sessions": rounds.model_dump(mode="json")})
    else:
        show_stats(counts | {"hubs": hubs_told(found.hubs)}, screen())
        show_stats({"sessions": "; ".join(tuning_lines(rounds))}, screen())


def reindex(common: Common, dry_run: DryRun = False) -> None:
    """Embed and index all memories again.

    For another embedding model, or after the index was damaged; nothing stored is lost. Every
    entity of the store, or the one that --entity names.
    """
    from secondhop.cli.opening import rebuild, run
    from secondhop.cli.progress import bars
    from secondhop.cli.terminal import clean, print_json, screen

    with bars() as progress:
        done = run(rebuild(common, progress=progress, dry_run=dry_run))
    if common.json:
        print_json({"entities": done} | ({"dry_run": True} if dry_run else {}))
        return
    would = "would be " if dry_run else ""
    for entity, passages in done.items():
        screen().print(f"{clean(entity)}: {passages} passages {would}embedded and indexed anew")

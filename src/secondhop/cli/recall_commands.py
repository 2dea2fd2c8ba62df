"""`secondhop recall` and `explain`: ask a question, and see what led to the answer."""

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from secondhop.cli.advised import place_again, with_place
from secondhop.cli.options import Common, EffortOption, given_path, moment
from secondhop.cli.terminal import clean, notices, shorten
from secondhop.cli.work import in_memory, tell
from secondhop.cli.writing import expect_writable, write_text
from secondhop.stores.where import Where

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from secondhop.graph.explanation import Explanation
    from secondhop.graph.result import RecallResult
    from secondhop.graph.trace import RecallTrace
    from secondhop.recall import Recall
    from secondhop.stores.keeping import Kind


def recall(
    common: Common,
    question: Annotated[str, typer.Argument(metavar="QUESTION")],
    k: Annotated[
        int | None, typer.Option("--k", "-k", min=1, metavar="N", help="Memories to return. [6]")
    ] = None,
    tokens: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Return what fits into N tokens, instead of --k; preferences are not counted.",
        ),
    ] = None,
    trace: Annotated[
        bool, typer.Option("--trace", help="Show the whole trace: found, kept, dropped, and why.")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            parser=given_path, metavar="FILE", help="Write answer, path and reasons as a web page."
        ),
    ] = None,
    as_of: Annotated[
        datetime | None,
        typer.Option(parser=moment, metavar="ISO", help="What was known then. [now]"),
    ] = None,
    include_stale: Annotated[
        bool, typer.Option("--include-stale", help="Also superseded, deprecated and expired ones.")
    ] = False,
    tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="Only memories with one of these tags.")
    ] = None,
    source: Annotated[
        list[str] | None, typer.Option(metavar="S", help="Only from one of these sources.")
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help="Only factual, preferential or continuity."),
    ] = None,
    after: Annotated[
        datetime | None,
        typer.Option(parser=moment, metavar="ISO", help="Only what was written then or later."),
    ] = None,
    before: Annotated[
        datetime | None,
        typer.Option(parser=moment, metavar="ISO", help="Only what was written earlier."),
    ] = None,
    earlier: Annotated[
        list[str] | None,
        typer.Option(
            metavar="QUESTION",
            help="What you asked before, if QUESTION follows up on it; repeatable, oldest first.",
        ),
    ] = None,
    effort: EffortOption = None,
) -> None:
    """Find the memories a question needs.

    Including those the question never mentions.
    """
    from secondhop.nodes.recall_input import check_limits, checked_question

    checked_question(question)  # now, because opening takes seconds
    check_limits(k=k, tokens=tokens)
    where = Where(
        tags=tag or (),
        sources=source or (),
        kinds=cast("Sequence[Kind]", kind or ()),
        after=after,
        before=before,
    )

    expect_writable(html)

    async def work(memory: "Recall") -> "tuple[RecallResult, RecallTrace | None]":
        result = await memory.arecall(
            question,
            k=k,
            tokens=tokens,
            at=common.at,
            as_of=as_of,
            include_stale=include_stale,
            where=where,
            effort=effort,
            earlier=earlier or (),
        )
        story = memory.trace(result.trace_id) if trace or html else None
        if html is not None and story is not None:
            from secondhop.server.recall_file import graph_of, recall_page

            write_text(html, recall_page(result, story, graph=graph_of(memory)))
        return result, story if trace else None

    result, story = in_memory(common, work, counting=tokens is not None)

    def shown(console: "Console") -> None:
        from secondhop.cli.answer_view import show_answer

        show_answer(result, console, place=place_again(common), as_of=as_of)
        if story is not None:
            from secondhop.cli.trace_tree import trace_tree

            console.print()
            console.print(trace_tree(story))

    document = result.model_dump(mode="json")
    if story is not None:
        document["trace"] = story.model_dump(mode="json")
    tell(common, document, shown)


def explain(
    common: Common,
    trace: Annotated[str, typer.Argument(metavar="TRACE", help="A trace id, or a trace file.")],
    memory: Annotated[
        str,
        typer.Argument(metavar="MEMORY", help="Its id or title, or words that it alone has."),
    ],
) -> None:
    """Say why a memory came back, or did not."""
    is_file = Path(trace).is_file()

    async def work(recall: "Recall") -> "Explanation":
        from secondhop.explaining import explained_by_words

        chosen = Path(trace) if is_file else recall.trace(trace)
        return await explained_by_words(recall, chosen, memory)

    told = in_memory(common, work)
    if told.memory_id != memory:
        said = f"“{clean(memory)}” is taken to mean the memory {clean(told.memory_id)}"
        notices().print(said, soft_wrap=True)
    change = with_place(told.nearest_change, place_again(common))
    told = told.model_copy(update={"nearest_change": change})
    tell(common, told, lambda console: show_explanation(told, console))


def show_explanation(explanation: "Explanation", console: "Console") -> None:
    """Print the verdict, the story, and the smallest change that would let the memory in."""
    title, memory_id = shorten(explanation.title, 120), clean(explanation.memory_id)
    verdict = "returned" if explanation.returned else f"not returned: {clean(explanation.cut_by)}"
    console.print(f"{title} [{memory_id}]" if title else memory_id, style="bold")
    console.print(verdict, style="green" if explanation.returned else "yellow")
    for sentence in explanation.story:
        console.print(f"- {clean(sentence)}")
    if explanation.computed:
        console.print("How its score was computed:", style="dim")
    for part in explanation.parts:
        console.print(f"  {part.added:+.2f}  {part.name}: {part.meaning}", style="dim")
    for sentence in explanation.computed:
        console.print(f"- {clean(sentence)}", style="dim")
    if explanation.nearest_change:
        told = f"What would let it in: {clean(explanation.nearest_change)}"
        console.print(told, soft_wrap=True)  # a command in it stays whole for copying

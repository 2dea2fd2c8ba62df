"""`secondhop eval topics`: questions of your own, asked of your own memory."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.eval_options import Concurrency
from secondhop.cli.options import Common, given_path
from secondhop.wording import counted

if TYPE_CHECKING:
    from secondhop.evals.judgements import Judgement
    from secondhop.evals.topic_run import TopicRun
    from secondhop.evals.topics import Topic


def topics(
    common: Common,
    file: Annotated[
        Path,
        typer.Argument(parser=given_path, metavar="TOPICS", help="Questions: TSV or JSONL."),
    ],
    qrels: Annotated[
        Path,
        typer.Argument(parser=given_path, metavar="QRELS", help="Judgements: a TREC qrels file."),
    ],
    memories: Annotated[
        list[Path] | None,
        typer.Option(
            parser=given_path,
            metavar="PATH",
            help="Store these first, in a throwaway store unless --store names one.",
        ),
    ] = None,
    k: Annotated[int, typer.Option(min=1, metavar="N", help="Memories to return.")] = 10,
    concurrency: Concurrency = 1,
) -> None:
    """Measure recall on your own questions and judgements.

    Beside it stands what plain search of the same store reaches.
    """
    from secondhop.cli.eval_view import measures_table
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import print_json, screen
    from secondhop.evals.ir_library import expect_library
    from secondhop.evals.topic_run import of_topics
    from secondhop.evals.topics import read_qrels, read_topics

    expect_library()
    asked = read_topics(file)
    judgements = of_topics(read_qrels(qrels), asked)
    answered = run(
        recall_topics(asked, judgements, common, memories=memories or [], k=k, at_once=concurrency)
    )
    if common.json:
        print_json(answered.document(judgements, k=k))
        return
    rows = answered.means(judgements, k=k)
    title = f"{counted(len(asked), 'question')}, {answered.costs.ms:.0f} ms each"
    screen().print(measures_table(title, rows, names=list(next(iter(rows.values())))))


async def recall_topics(
    asked: "Sequence[Topic]",
    judgements: "Sequence[Judgement]",
    common: Common,
    *,
    memories: list[Path],
    k: int,
    at_once: int,
) -> "TopicRun":
    """Store what is to be stored, and ask every topic."""
    from contextlib import ExitStack

    from secondhop.cli.opening import opened, throwaway
    from secondhop.cli.progress import bars
    from secondhop.cli.terminal import notices
    from secondhop.evals.topic_run import expect_judged_memories, run_topics

    with ExitStack() as stack:
        place = stack.enter_context(throwaway(common)) if memories else common
        progress = stack.enter_context(bars())
        async with opened(place, counting=bool(memories)) as recall:
            if memories:
                await recall.aingest(*memories, progress=progress)
            if missing := await expect_judged_memories(judgements, recall):
                notices().print(f"{missing} relevant memories of the qrels are not stored")
            return await run_topics(
                asked, recall, k=k, at=common.at, at_once=at_once, progress=progress
            )

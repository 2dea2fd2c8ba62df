"""`secondhop eval trec` and `secondhop eval topics`: any user's questions, TREC's files."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.options import Common, given_path
from secondhop.errors import UsageError

if TYPE_CHECKING:
    from secondhop.evals.judged_run import JudgedRun
    from secondhop.evals.judgements import Judgement
    from secondhop.evals.topic_run import TopicRun
    from secondhop.evals.topics import Topic

K = 10


def trec(
    common: Common,
    qrels: Annotated[
        Path, typer.Argument(parser=given_path, metavar="QRELS", help="Judgements: a qrels file.")
    ],
    runs: Annotated[
        list[Path],
        typer.Argument(parser=given_path, metavar="RUN...", help="Runs; others against the first."),
    ],
    k: Annotated[int, typer.Option(min=1, metavar="N", help="Memories that count.")] = K,
) -> None:
    """Measure runs with TREC judgements.

    Of several runs each is compared with the first, question by question.
    """
    from secondhop.evals.ir_library import expect_library
    from secondhop.evals.judged_run import judged_run
    from secondhop.evals.trec_files import read_qrels, read_run

    expect_library()
    judgements = read_qrels(qrels)
    found = [read_run(path) for path in runs]
    names = distinct([one.tag for one in found], [str(path) for path in runs])
    show(
        [
            judged_run(name, one.rankings, judgements, k=k)
            for name, one in zip(names, found, strict=True)
        ],
        common,
    )


def distinct(tags: Sequence[str], paths: Sequence[str]) -> list[str]:
    """The tags as names, or the paths where two tags are the same.

    Raises:
        UsageError: a path is given twice.
    """
    if len(set(tags)) == len(tags):
        return list(tags)
    if len(set(paths)) < len(paths):
        raise UsageError("a run is given twice; name each once")
    return list(paths)


def show(found: "Sequence[JudgedRun]", common: Common, *, ours_first: bool = False) -> None:
    """Print runs, and each against another.

    Args:
        ours_first: the first is compared with every other; else every other with the first.
    """
    from secondhop.cli.terminal import print_json, screen
    from secondhop.cli.trec_view import show_comparisons, show_runs
    from secondhop.evals.judged_run import compared_runs

    first, others = found[0], found[1:]
    pairs = [(first, other) if ours_first else (other, first) for other in others]
    comparisons = [(ours, compared_runs(ours, theirs)) for ours, theirs in pairs]
    if not common.json:
        show_runs(found, screen())
        show_comparisons(comparisons, screen())
        return
    document = {one.name: one.document() for one in found}
    for (ours, theirs), (_, comparison) in zip(pairs, comparisons, strict=True):
        document[(theirs if ours_first else ours).name]["compared"] = {
            "ours": ours.name,
            **comparison.document(),
        }
    print_json(document)


def topics(
    common: Common,
    file: Annotated[
        Path,
        typer.Argument(parser=given_path, metavar="TOPICS", help="Questions: TSV or JSONL."),
    ],
    memories: Annotated[
        list[Path] | None,
        typer.Option(
            parser=given_path,
            metavar="PATH",
            help="Store these first, in a throwaway store unless --store names one.",
        ),
    ] = None,
    qrels: Annotated[
        Path | None,
        typer.Option(parser=given_path, metavar="QRELS", help="Judgements to measure with."),
    ] = None,
    k: Annotated[int, typer.Option(min=1, metavar="N", help="Memories to return.")] = K,
    write_run: Annotated[
        Path | None,
        typer.Option(parser=given_path, metavar="FILE", help="Write the run, as TREC has them."),
    ] = None,
    concurrency: Annotated[
        int, typer.Option(min=1, metavar="N", help="Questions at once; 1 keeps the times honest.")
    ] = 1,
) -> None:
    """Recall every topic of a file, and measure it with TREC judgements.

    Beside it stands what plain search of the same store reaches.
    """
    from secondhop.cli.opening import run
    from secondhop.evals.ir_library import expect_library
    from secondhop.evals.report import OURS
    from secondhop.evals.topic_run import of_topics
    from secondhop.evals.topics import read_topics
    from secondhop.evals.trec_files import read_qrels
    from secondhop.evals.trec_files import write_run as write

    asked = read_topics(file)
    judgements: list[Judgement] | None = None
    if qrels is not None:
        expect_library()
        judgements = of_topics(read_qrels(qrels), asked)
    if qrels is None and write_run is None and not common.json:
        raise UsageError("nothing to do with the answers; name --qrels, --write-run or --json")
    answered = run(
        recall_topics(
            asked, judgements or [], common, memories=memories or [], k=k, at_once=concurrency
        )
    )
    if write_run is not None:
        write(write_run, answered.rankings[OURS], tag=OURS)
    show_topics(answered, judgements, common, k=k)


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


def show_topics(
    answered: "TopicRun", judgements: "Sequence[Judgement] | None", common: Common, *, k: int
) -> None:
    """Print what was measured, or without judgements what came back."""
    from secondhop.cli.terminal import print_json, screen
    from secondhop.cli.trec_view import show_costs
    from secondhop.evals.judged_run import judged_run

    if judgements is not None:
        found = [
            judged_run(name, rankings, judgements, k=k)
            for name, rankings in answered.rankings.items()
        ]
        show(found, common, ours_first=True)
    elif common.json:
        print_json({name: {"results": one} for name, one in answered.rankings.items()})
    if not common.json:
        show_costs(answered.costs, screen())

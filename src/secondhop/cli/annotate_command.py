"""`secondhop annotate`: let a language model write cues for stored memories."""

from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.annotate.settings import AnnotateSettings
from secondhop.cli.exit_status import FAILED
from secondhop.cli.options import Common
from secondhop.cli.progress import bars
from secondhop.cli.terminal import notices
from secondhop.cli.work import in_memory, tell

if TYPE_CHECKING:
    from secondhop.annotate.records import AnnotateLedger
    from secondhop.recall import Recall

MaxTokens = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Stop before spending more tokens on cues."),
]
MaxUsd = Annotated[
    float | None,
    typer.Option(metavar="DOLLARS", help="Stop before spending more money on cues."),
]


def annotate(
    common: Common,
    max_tokens: MaxTokens = None,
    max_usd: MaxUsd = None,
    concurrency: Annotated[
        int, typer.Option(min=1, metavar="N", help="Requests at once.")
    ] = AnnotateSettings().concurrency,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Ask nothing; say what it would cost.")
    ] = False,
) -> None:
    """Let a language model write cues for stored memories.

    A cue is a request for which a memory will matter. Memories that have cues cost nothing. After
    an interruption, the same command continues.
    """
    import_module("secondhop.recall")  # takes a second; inside an event loop, Ctrl-C would wait
    from secondhop.cli.annotate_view import show_annotated
    from secondhop.cli.opening import named_llm
    from secondhop.models.openai_client import expect_key

    spec = named_llm(common)
    if not dry_run:
        expect_key(spec)
    how = AnnotateSettings(concurrency=concurrency, by_itself=False)

    async def work(recall: "Recall") -> "AnnotateLedger":
        if dry_run:
            return await recall.memories.cues.aannotate(dry_run=True)
        return await write_cues(recall, max_tokens=max_tokens, max_usd=max_usd)

    try:
        ledger = in_memory(common, work, counting=True, annotate=how)
    except KeyboardInterrupt as error:
        raise KeyboardInterrupt(
            "interrupted; the cues written so far are stored, and the same command continues with "
            "the rest"
        ) from error
    tell(common, ledger.to_dict(), lambda console: show_annotated(ledger, console))
    if ledger.failed and (ledger.stopped or not ledger.annotated):
        raise typer.Exit(FAILED)


async def write_cues(
    recall: "Recall", *, max_tokens: int | None, max_usd: float | None
) -> "AnnotateLedger":
    """Let the model write the missing cues; first print an estimate on standard error."""
    from secondhop.cli.annotate_view import estimate_text

    before = await recall.memories.cues.aannotate(dry_run=True)
    if before.estimate is not None and before.pending:
        notices().print(estimate_text(before.estimate))
    with bars() as progress:
        return await recall.memories.cues.aannotate(
            max_tokens=max_tokens, max_usd=max_usd, progress=progress
        )

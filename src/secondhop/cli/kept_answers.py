"""Keeps a language model's answers in a file between evaluations."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from tempfile import TemporaryDirectory

from secondhop.annotate.settings import request_seconds
from secondhop.cli.opening import cache_folder, chosen_spec, settings_of
from secondhop.cli.options import Common
from secondhop.cli.terminal import notices
from secondhop.errors import UsageError
from secondhop.models.answer_cache import (
    AnswerCache,
    expect_answers_or_nothing,
)
from secondhop.models.choose_llm import make_llm
from secondhop.models.embedder import HoldsConnections
from secondhop.models.openai_client import expect_key

FILE = "answers.db"


def usual_answers() -> Path:
    """The file in the user's cache folder that keeps answers when prompts are compared."""
    return cache_folder() / "prompts" / FILE


@asynccontextmanager
async def answering_model(
    common: Common, place: Path | None, *, asked: bool
) -> AsyncGenerator[AnswerCache | None, None]:
    """The model that the options or the environment name, with cached answers; None: offline.

    Prints at the end how often it was asked.

    Args:
        place: the file of answers, or its folder; None: a temporary file.
        asked: whether recalls will ask it; it then needs its key, even if all answers are kept.
    """
    spec = chosen_spec(common)
    if spec is None:
        if place is not None:
            raise UsageError(
                "--answers keeps what a language model answers; name one: --llm openai:MODEL"
            )
        yield None
        return
    async with AsyncExitStack() as stack:
        kept = place or Path(stack.enter_context(TemporaryDirectory(prefix="secondhop-")))
        file = kept / FILE if kept.is_dir() or not kept.suffix else kept
        expect_answers_or_nothing(file)
        if asked:
            expect_key(spec)
        deadline_s = settings_of(common).limits.deadline_s
        llm = make_llm(spec, timeout_s=request_seconds(deadline_s))
        if isinstance(llm, HoldsConnections):
            stack.push_async_callback(llm.aclose)
        model = stack.enter_context(closing(AnswerCache(llm, file)))
        yield model
        counts = model.counts
        told = f"model: asked {counts.asked}, from kept answers {counts.from_cache}"
        notices().print(f"{told}; {counts.paid.tokens:,} tokens" if counts.asked else told)

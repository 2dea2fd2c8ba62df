"""A language model's answers, kept in a file between evaluations."""

from collections.abc import AsyncGenerator, Generator
from contextlib import (
    AsyncExitStack,
    ExitStack,
    asynccontextmanager,
    closing,
    contextmanager,
)
from pathlib import Path
from tempfile import TemporaryDirectory

from secondhop.annotate.settings import request_seconds
from secondhop.cli.opening import cache_folder, choose_llm, settings_of
from secondhop.cli.options import Common
from secondhop.cli.terminal import notices
from secondhop.errors import UsageError
from secondhop.models.answer_cache import (
    AnswerCache,
    AnswerFile,
    expect_answers_or_nothing,
)
from secondhop.models.choose_llm import make_llm
from secondhop.models.embedder import HoldsConnections
from secondhop.models.llm import StructuredLLM
from secondhop.settings import load_settings

FILE = "answers.db"


def usual_answers() -> Path:
    """Where `prompts eval` keeps answers: a file in the user's cache folder."""
    return cache_folder() / "prompts" / FILE


@contextmanager
def kept_answers(place: Path | None) -> Generator[AnswerFile, None, None]:
    """The answers in a file, or in a folder's; None: a file that goes again.

    Raises:
        UsageError: the file is there, and holds something else.
    """
    with ExitStack() as stack:
        if place is None:
            place = Path(stack.enter_context(TemporaryDirectory(prefix="secondhop-")))
        path = place / FILE if place.is_dir() or not place.suffix else place
        expect_answers_or_nothing(path)
        yield stack.enter_context(closing(AnswerFile(path)))


@asynccontextmanager
async def opened_llm(common: Common, spec: str) -> AsyncGenerator[StructuredLLM, None]:
    """The model of that name, closed at the end."""
    async with AsyncExitStack() as stack:
        deadline_s = settings_of(common, load_settings()).limits.deadline_s
        llm = make_llm(spec, timeout_s=request_seconds(deadline_s))
        if isinstance(llm, HoldsConnections):
            stack.push_async_callback(llm.aclose)
        yield llm


@asynccontextmanager
async def answering_model(
    common: Common, place: Path | None
) -> AsyncGenerator[AnswerCache | None, None]:
    """The model that options and environment name, with kept answers; None: offline.

    Says at the end how often it was asked.

    Raises:
        UsageError: answers are to be kept, and no model is named.
    """
    spec = choose_llm(common.llm or load_settings().llm)
    if spec is None:
        if place is not None:
            raise UsageError(
                "--answers keeps what a language model answers; name one: --llm openai:MODEL"
            )
        yield None
        return
    with kept_answers(place) as answers:
        async with opened_llm(common, spec) as llm:
            model = AnswerCache(llm, answers)
            yield model
            counts = model.counts
            told = f"model: asked {counts.asked}, from kept answers {counts.from_cache}"
            notices().print(f"{told}; {counts.paid.tokens:,} tokens" if counts.asked else told)

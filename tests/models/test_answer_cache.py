"""The answer cache: a request with exactly the same words is not sent again."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import pytest
from pydantic import BaseModel

from secondhop.errors import UsageError
from secondhop.models.answer_cache import AnswerCache, expect_answers_or_nothing
from secondhop.models.llm import ChatMessage, Completion, KeepsAnswers, LLMError, Usage

T = TypeVar("T", bound=BaseModel)


class Reply(BaseModel):
    text: str


class Other(BaseModel):
    text: str
    more: int = 0


class Parrot:
    """A model that says how often it was asked, or fails when told to."""

    def __init__(self, model_id: str = "parrot", *, says: object = None) -> None:
        self.model_id, self._says = model_id, says
        self.asked: list[dict[str, Any]] = []
        self.fails = False

    async def complete(
        self, messages: Sequence[ChatMessage], *, schema: type[T], **bounds: Any
    ) -> Completion[T]:
        self.asked.append(bounds)
        if self.fails:
            raise LLMError("no", usage=Usage(calls=1, prompt_tokens=7))
        said = self._says or {"text": f"answer {len(self.asked)}"}
        usage = Usage(calls=2, prompt_tokens=10, completion_tokens=5, cached_tokens=4)
        return Completion(parsed=schema.model_validate(said), usage=usage)


Caches: TypeAlias = Callable[[Parrot], AnswerCache]
"""Opens a cache of the model's answers, on the same file each time."""


@pytest.fixture
def caches(tmp_path: Path) -> Iterator[Caches]:
    with ExitStack() as stack:
        path = tmp_path / "deep" / "answers.db"
        yield lambda parrot: stack.enter_context(closing(AnswerCache(parrot, path)))


async def ask(
    cache: AnswerCache, text: str = "hello", *, schema: type[T], max_tokens: int = 100
) -> Completion[T]:
    messages = [ChatMessage(role="user", content=text)]
    return await cache.complete(
        messages,
        schema=schema,
        max_tokens=max_tokens,
        deadline_s=5.0,
        max_calls=3,
        max_total_tokens=900,
    )


async def test_other_words_another_schema_or_another_model_ask_again(caches: Caches) -> None:
    parrot, stranger = Parrot(), Parrot("stranger")
    cache = caches(parrot)

    await ask(cache, schema=Reply)
    await ask(cache, "hello!", schema=Reply)
    await ask(cache, schema=Other)
    await ask(caches(stranger), schema=Reply)

    assert (len(parrot.asked), len(stranger.asked)) == (3, 1)


async def test_a_failure_is_counted_and_not_kept(caches: Caches) -> None:
    parrot = Parrot()
    cache = caches(parrot)
    parrot.fails = True
    with pytest.raises(LLMError):
        await ask(cache, schema=Reply)
    parrot.fails = False

    assert (await ask(cache, schema=Reply)).parsed.text == "answer 2"
    assert (cache.counts.asked, cache.counts.failed) == (2, 1)
    assert cache.counts.paid.prompt_tokens == 17


async def test_an_answer_that_could_not_be_used_is_asked_for_again(caches: Caches) -> None:
    parrot = Parrot()
    cache = caches(parrot)
    await ask(cache, schema=Reply)
    await ask(cache, "kept", schema=Reply)

    await cache.forget([ChatMessage(role="user", content="hello")], schema=Reply)

    assert (await ask(cache, schema=Reply)).parsed.text == "answer 3"
    assert (await ask(cache, "kept", schema=Reply)).parsed.text == "answer 2"
    assert cache.counts.failed == 1
    assert isinstance(cache, KeepsAnswers)


async def test_a_file_of_an_older_format_is_begun_again(tmp_path: Path) -> None:
    path = tmp_path / "answers.db"
    with closing(sqlite3.connect(path)) as old:
        old.execute("CREATE TABLE answers (asked_sha BLOB, answer TEXT)")
        old.commit()
    parrot = Parrot()
    expect_answers_or_nothing(path)
    with closing(AnswerCache(parrot, path)) as cache:
        await ask(cache, schema=Reply)
        await ask(cache, schema=Reply)
    assert len(parrot.asked) == 1


@pytest.mark.parametrize("content", [b"Dear diary, ", b"SQLite format 3\x00"])
def test_a_file_of_something_else_is_refused_before_it_is_overwritten(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "diary.txt"
    path.write_bytes(content * 50)
    with pytest.raises(UsageError, match="is not a file of answers"):
        expect_answers_or_nothing(path)
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
        other.commit()
    with pytest.raises(UsageError, match="is not a file of answers"):
        expect_answers_or_nothing(tmp_path / "other.db")
    expect_answers_or_nothing(tmp_path / "new.db")

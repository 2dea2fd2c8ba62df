"""Caches a language model's answers on disk, so that only new prompts reach the model."""

import asyncio
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TypeVar, Unpack

from pydantic import BaseModel

from secondhop.errors import UsageError
from secondhop.models.cache_file import CacheFile
from secondhop.models.llm import (
    AnswerBounds,
    ChatMessage,
    Completion,
    LLMError,
    StructuredLLM,
    Usage,
)

T = TypeVar("T", bound=BaseModel)

FORMAT = 3
"""Incremented when a key or an entry changes its meaning; a file of an older format is emptied."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    asked_sha BLOB NOT NULL UNIQUE,
    answer TEXT NOT NULL,
    usage TEXT NOT NULL
)
"""

TAG_SECRET = sha256(b"secondhop evaluates").digest()
"""Secret for the tags around stored text, only in evaluations, so that two runs have equal prompts.

It is not really secret: the author of a scenario can know it. A real recall draws its own.
"""


def expect_answers_or_nothing(path: Path) -> None:
    """Raises UsageError if the file holds something else, which would be overwritten."""
    if not path.exists() or (path.is_file() and not path.stat().st_size):
        return
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as opened:
            opened.execute("SELECT asked_sha FROM answers LIMIT 1")
    except sqlite3.Error as error:
        told = f"{path} is not a file of answers; name one that can be written, or a folder"
        raise UsageError(told) from error


def _prepare(connection: sqlite3.Connection) -> None:
    """Create the table; replace one of an older format."""
    if connection.execute("PRAGMA user_version").fetchone()[0] < FORMAT:
        for statement in ("DROP TABLE IF EXISTS answers", _SCHEMA, f"PRAGMA user_version={FORMAT}"):
            connection.execute(statement)


@dataclass(slots=True, kw_only=True)
class AnswerCounts:
    """How many answers came from the model and from the cache."""

    asked: int = 0
    """Calls to the model, failures included."""
    failed: int = 0
    """Calls that failed, and answers that the caller could not use and took out with `forget`."""
    from_cache: int = 0
    paid: Usage = field(default_factory=Usage)
    """What the calls to the model cost."""


class AnswerCache:
    """Wraps a language model: the same prompt, word for word, is not asked twice.

    The key of an answer is the model, the prompt and the schema, not the bounds of the call. An
    answer comes back with its original usage, so that a recall spends its budgets as it did then;
    `counts` says what was really paid. Failures are not kept. Use `forget` to take out an answer
    that cannot be used. No method raises for a bad disk; a damaged file is replaced.
    """

    def __init__(self, inner: StructuredLLM, path: Path) -> None:
        """`path`: the file of answers; it is opened at first use."""
        self._inner = inner
        self._file = CacheFile(
            path,
            name="the answer cache",
            without="the model is asked again each time",
            prepare=_prepare,
        )
        self.counts = AnswerCounts()
        self.model_id, self.tag_secret = inner.model_id, TAG_SECRET

    async def complete(
        self, messages: Sequence[ChatMessage], *, schema: type[T], **bounds: Unpack[AnswerBounds]
    ) -> Completion[T]:
        """See `StructuredLLM`. Raises LLMError if no answer was kept, and the model failed."""
        asked_sha = self._sha(messages, schema)
        known = await asyncio.to_thread(self._kept, asked_sha, schema)
        if known is not None:
            self.counts.from_cache += 1
            return known
        self.counts.asked += 1
        try:
            completion = await self._inner.complete(messages, schema=schema, **bounds)
        except LLMError as error:
            self.counts.failed += 1
            self.counts.paid += error.usage
            raise
        self.counts.paid += completion.usage
        await asyncio.to_thread(self._keep, asked_sha, completion)
        return completion

    async def forget(self, messages: Sequence[ChatMessage], *, schema: type[BaseModel]) -> None:
        """See `KeepsAnswers`."""
        self.counts.failed += 1
        delete = "DELETE FROM answers WHERE asked_sha = ?"
        asked_sha = self._sha(messages, schema)
        await asyncio.to_thread(
            self._file.attempt, lambda opened: opened.execute(delete, [asked_sha])
        )

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._file.close()

    def _sha(self, messages: Sequence[ChatMessage], schema: type[BaseModel]) -> bytes:
        """The key of an answer: SHA-256 of format, model, schema and prompt."""
        turns = [[message["role"], message["content"]] for message in messages]
        prompt_sha = sha256(json.dumps(turns).encode("ascii")).hexdigest()
        shape = json.dumps(schema.model_json_schema(), sort_keys=True)
        asked = [FORMAT, self.model_id, schema.__name__, shape, prompt_sha]
        return sha256(json.dumps(asked).encode("ascii")).digest()

    def _kept(self, asked_sha: bytes, schema: type[T]) -> Completion[T] | None:
        """The kept answer; None if there is none, or this version cannot read it."""
        query = "SELECT answer, usage FROM answers WHERE asked_sha = ?"
        row = self._file.attempt(lambda opened: opened.execute(query, [asked_sha]).fetchone())
        if row is None:
            return None
        answer, usage = row
        try:
            parsed = schema.model_validate_json(answer)
            return Completion(parsed=parsed, usage=Usage(**json.loads(usage)))
        except (ValueError, TypeError):
            return None

    def _keep(self, asked_sha: bytes, completion: Completion[T]) -> None:
        """Keep an answer; it replaces an earlier one."""
        statement = "INSERT OR REPLACE INTO answers (asked_sha, answer, usage) VALUES (?, ?, ?)"
        answer = completion.parsed.model_dump_json()
        kept = (asked_sha, answer, json.dumps(asdict(completion.usage)))
        self._file.attempt(lambda opened: opened.execute(statement, kept))

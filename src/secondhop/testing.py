r"""Test doubles for programs that use secondhop: no download, no server.

A scripted language model, the hashing embedder, and a `Recall` in a temporary folder:

>>> import asyncio, re
>>> from secondhop.testing import ModelRequest, ScriptedModel, note, temporary_recall
>>> def all_hot(request: ModelRequest) -> object:
...     return {"votes": dict.fromkeys(re.findall(r"<memory (\w+)>", request.prompt), "hot")}
>>> async def ask() -> list[str]:
...     model = ScriptedModel(
...         {
...             "decompose": [{"kind": "procedural"}],
...             "expand": [{"intent": "make tea"}],
...             "critique": all_hot,
...         }
...     )
...     tea = note("tea", "Green tea steeps at 70 degrees for two minutes.")
...     async with temporary_recall([tea], llm=model) as recall:
...         return (await recall.arecall("How long does green tea steep?")).ids()
>>> asyncio.run(ask())
['tea']
"""

import re
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, Unpack, cast

from pydantic import BaseModel, ValidationError

from secondhop.models.hashing import HashingEmbedder
from secondhop.models.llm import AnswerBounds, ChatMessage, Completion, LLMError, Usage
from secondhop.stores.records import Memory, Message

if TYPE_CHECKING:
    from secondhop.recall import Recall

__all__ = [
    "HashingEmbedder",
    "ModelRequest",
    "ScriptEndedError",
    "ScriptedModel",
    "note",
    "temporary_recall",
]

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request to a scripted model."""

    step: str
    """One of "decompose", "expand", "critique", "observe" and "annotate"."""
    schema: type[BaseModel]
    """The schema that the answer must fit."""
    messages: Sequence[ChatMessage]
    max_tokens: int
    deadline_s: float

    @property
    def prompt(self) -> str:
        """The text of all messages."""
        return "\n".join(message["content"] for message in self.messages)


Answer: TypeAlias = Callable[[ModelRequest], object]
"""Returns plain values that fit the schema, or an error to raise."""
Script: TypeAlias = Iterable[object] | Answer
"""Plain values, errors and functions, played in order; or one function for all requests."""


class ScriptEndedError(AssertionError):
    """A scripted model was asked more often than it has replies."""


class ScriptedModel:
    """A language model that plays back scripted replies, and records what it was asked.

    A script is a list, played in order, or one function that answers every request. The steps
    `decompose` and `expand` of a recall run in parallel, so give each step its own script. A reply
    is plain values (`{"intent": "make tea"}`), an exception to raise, or a function of the
    `ModelRequest`. A reply that does not fit the schema fails as a real model's would: with an
    `LLMError`.
    """

    def __init__(
        self,
        script: Script | Mapping[str, Script],
        *,
        model_id: str = "scripted",
        usage: Usage | None = None,
    ) -> None:
        """Nothing is played yet.

        Args:
            script: one for all requests, or a dict by step or schema name ("ExpandReply").
            model_id: the name in traces and prices.
            usage: what each answer costs; default one call, 1,000 tokens in and 100 out.
        """
        self.model_id = model_id
        self.requests: list[ModelRequest] = []
        self._usage = usage or Usage(calls=1, prompt_tokens=1_000, completion_tokens=100)
        scripts: Mapping[str, Script] = {"": script}
        if isinstance(script, Mapping):
            scripts = cast("Mapping[str, Script]", script)
        self._scripts: dict[str, list[object] | Answer] = {
            step: given if callable(given) else list(given) for step, given in scripts.items()
        }

    async def complete(
        self, messages: Sequence[ChatMessage], *, schema: type[T], **bounds: Unpack[AnswerBounds]
    ) -> Completion[T]:
        """The next reply of the script.

        Raises:
            LLMError: the reply does not fit the schema.
            ScriptEndedError: no reply is left.
        """
        request = ModelRequest(
            step=_step_of(schema),
            schema=schema,
            messages=messages,
            max_tokens=bounds["max_tokens"],
            deadline_s=bounds["deadline_s"],
        )
        self.requests.append(request)
        said = self._next(request)
        if callable(said):
            said = said(request)
        if isinstance(said, Exception):
            raise said
        try:
            return Completion(parsed=schema.model_validate(said), usage=self._usage)
        except ValidationError as error:
            message = f"the reply of {self.model_id} is unreadable as {schema.__name__}: {error}"
            raise LLMError(message, usage=self._usage) from error

    def _next(self, request: ModelRequest) -> object:
        names = (request.schema.__name__, request.step, "")
        known = [self._scripts[name] for name in names if name in self._scripts]
        script = known[0] if known else list[object]()
        if callable(script):
            return script
        if not script:
            raise ScriptEndedError(
                f"the script of {self.model_id} has no reply left for {request.step!r} "
                f"({request.schema.__name__})"
            )
        return script.pop(0)


def note(
    memory_id: str, text: str, *, title: str = "", created_at: datetime | None = None
) -> Memory:
    """A memory of one message; its default date is 1 January 2026."""
    return Memory(
        memory_id=memory_id,
        title=title or f"About {memory_id}",
        source="note",
        created_at=created_at or datetime(2026, 1, 1, tzinfo=UTC),
        messages=(Message("user", text),),
    )


@asynccontextmanager
async def temporary_recall(
    memories: Iterable[Memory] = (), **options: Any
) -> AsyncGenerator["Recall"]:
    """An open `Recall` on a store in a temporary folder, which is deleted afterwards.

    Args:
        memories: added before the block begins.
        options: as for `Recall.aopen`; the default embedder is the hashing one.
    """
    from secondhop.recall import Recall

    with TemporaryDirectory(prefix="secondhop-", ignore_cleanup_errors=True) as folder:
        chosen: dict[str, Any] = {"embedder": "hashing", **options}
        async with await Recall.aopen(folder, **chosen) as recall:
            if given := list(memories):
                await recall.aadd(given)
            yield recall


def _step_of(schema: type[BaseModel]) -> str:
    """The step that asks for a schema: the first word of its name ("critique": CritiqueReply)."""
    found = re.match(r"[A-Z][a-z]*", schema.__name__)
    return found[0].lower() if found else schema.__name__

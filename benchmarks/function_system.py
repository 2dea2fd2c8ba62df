"""A function of yours as a system: `--system MODULE:FUNCTION`.

The function gets the memories of a scenario as {id: text}. It returns another function, which takes
(question, k) and returns ids, best first; or a LangChain retriever whose documents have their
`memory_id` in the metadata.
"""

import asyncio
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from itertools import islice
from pathlib import Path

from benchmarks.contest import Asked, Contender, Entry, Ground
from langchain_core.retrievers import BaseRetriever

from secondhop.errors import UsageError

Answer = Callable[[str, int], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Function:
    """A contender that calls what the user's function returned for one scenario."""

    answer: Answer

    async def rank(self, asked: Asked, *, k: int) -> list[str]:
        """See `Contender`."""
        found = await asyncio.to_thread(self.answer, asked.text, k)
        return list(islice(dict.fromkeys(found), k))


def retrieved(retriever: BaseRetriever) -> Answer:
    """A function that returns the memory ids of a retriever's documents."""
    return lambda question, _: (
        str(document.metadata["memory_id"]) for document in retriever.invoke(question)
    )


def function_entry(spec: str) -> Entry:
    """The system for "module:function"; the module may be in the working directory.

    Raises:
        UsageError: there is no such function.
    """
    module, _, name = spec.partition(":")
    sys.path.insert(0, str(Path.cwd()))
    try:
        opened_by = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"--system {spec}: {error}; write MODULE:FUNCTION") from error

    async def opened(ground: Ground) -> Contender:
        texts = {
            memory.memory_id: "\n".join([memory.title, *(turn.content for turn in memory.messages)])
            for memory in ground.scenario.memories
        }
        made = await asyncio.to_thread(opened_by, texts)
        return Function(retrieved(made) if isinstance(made, BaseRetriever) else made)

    return Entry(name=spec, open=opened)

"""LangMem's search tool over LangGraph's InMemoryStore, with our embedder."""

import asyncio
from dataclasses import dataclass
from typing import Any

from benchmarks.as_langchain import AsLangchain
from benchmarks.contest import Asked, Contender, Entry, Ground
from benchmarks.libraries import library
from langgraph.store.memory import InMemoryStore

from secondhop.evals.baselines import PASSAGES_PER_MEMORY

NAMESPACE = ("bench",)


@dataclass(frozen=True, slots=True)
class LangMem:
    """The tool that `create_search_memory_tool` makes for an agent."""

    tool: Any

    async def rank(self, asked: Asked, *, k: int) -> list[str]:
        """See `Contender`."""
        return await asyncio.to_thread(self._ranked, asked.text, k)

    def _ranked(self, text: str, k: int) -> list[str]:
        _, found = self.tool.func(query=text, limit=PASSAGES_PER_MEMORY * k)
        return list(dict.fromkeys(str(item.value["memory_id"]) for item in found))[:k]


async def opened(ground: Ground) -> Contender:
    """The tool over a store with the passages.

    Raises:
        NotRunError: langmem is not installed.
    """
    make_tool = library("langmem").create_search_memory_tool
    store = InMemoryStore(
        index={
            "dims": ground.embedder.dimension,
            "embed": AsLangchain(ground.embedder),
            "fields": ["text"],
        }
    )
    await asyncio.to_thread(fill, store, ground)
    return LangMem(make_tool(NAMESPACE, store=store, response_format="content_and_artifact"))


def fill(store: InMemoryStore, ground: Ground) -> None:
    """Store every passage under its id."""
    for fed in ground.passages:
        store.put(NAMESPACE, fed.passage_id, {"text": fed.text, "memory_id": fed.memory_id})


def langmem_entry() -> Entry:
    """The entry of the table."""
    return Entry(name="LangMem search", open=opened)

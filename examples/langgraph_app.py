"""The graphs that `langgraph dev` serves, as `langgraph.json` names them: `recall` and `session`.

    pip install 'langgraph-cli[inmem]'
    SECONDHOP_STORE=./memory SECONDHOP_ENTITY=me langgraph dev

A run may name another entity in its config: {"configurable": {"entity": "ana"}}. The store is
opened for each run and closed after it; threads and checkpoints are kept by the LangGraph server.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from langchain_core.runnables import RunnableConfig

from secondhop import Recall, build_session_graph
from secondhop.graph.builder import RecallGraph
from secondhop.graph.session import SessionGraph
from secondhop.models.choose_embedder import make_embedder
from secondhop.settings import load_settings

SETTINGS = load_settings()
EMBEDDER = make_embedder(SETTINGS.embedder)
"""One for all runs: it is loaded once."""


@asynccontextmanager
async def recall(config: RunnableConfig) -> AsyncGenerator[RecallGraph, None]:
    """`question` in, `result` out."""
    async with await memory_of(config) as memory:
        yield memory.graph


@asynccontextmanager
async def session(config: RunnableConfig) -> AsyncGenerator[SessionGraph, None]:
    """It stops for votes after each answer."""
    async with await memory_of(config) as memory:
        yield build_session_graph(memory.admin.services)


async def memory_of(config: RunnableConfig) -> Recall:
    """The memory of the entity that a run names."""
    entity = config.get("configurable", {}).get("entity", SETTINGS.entity)
    return await Recall.aopen(
        SETTINGS.store, entity=entity, embedder=EMBEDDER, llm=SETTINGS.llm, annotate=False
    )

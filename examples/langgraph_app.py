"""The graphs that `langgraph dev` serves, as `langgraph.json` names them: `recall` and `session`.

    pip install 'langgraph-cli[inmem]'
    SECONDHOP_STORE=./memory SECONDHOP_ENTITY=me langgraph dev

A run may name another entity in its config: {"configurable": {"entity": "ana"}}. The store is
opened and closed for each run; the LangGraph server keeps threads and checkpoints.
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
"""Shared by all runs, so that it is loaded only once."""


@asynccontextmanager
async def recall(config: RunnableConfig) -> AsyncGenerator[RecallGraph, None]:
    """The recall graph: `question` in, `result` out."""
    async with await memory_of(config) as memory:
        yield memory.graph


@asynccontextmanager
async def session(config: RunnableConfig) -> AsyncGenerator[SessionGraph, None]:
    """The session graph, which stops for votes after each answer."""
    async with await memory_of(config) as memory:
        yield build_session_graph(memory.admin.services)


async def memory_of(config: RunnableConfig) -> Recall:
    """The `Recall` of the entity that a run names, or of the default entity."""
    entity = config.get("configurable", {}).get("entity", SETTINGS.entity)
    return await Recall.aopen(
        SETTINGS.store, entity=entity, embedder=EMBEDDER, llm=SETTINGS.llm, annotate=False
    )

"""A program that votes in a thread of the session graph that another process began.

python session_elsewhere.py STORE THREADS MEMORY
"""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from secondhop.graph.session import build_session_graph
from secondhop.recall import Recall
from secondhop.redis_saver import PlainRedisSaver


@asynccontextmanager
async def thread_saver(place: str) -> AsyncGenerator[BaseCheckpointSaver[str], None]:
    """The checkpointer at that SQLite file, PostgreSQL database or Redis server."""
    if place.startswith("redis:"):
        with closing(PlainRedisSaver(place)) as redis:
            yield redis
        return
    if not place.startswith("postgresql:"):
        async with AsyncSqliteSaver.from_conn_string(place) as saver:
            yield saver
        return
    async with AsyncPostgresSaver.from_conn_string(place) as saver:
        await saver.setup()
        yield saver


async def voted(store: str, threads: str, memory: str) -> dict[str, Any]:
    """Vote for that memory; returns the next answer's round and the memories it kept."""
    config: Any = {"configurable": {"thread_id": "chat"}}
    async with await Recall.aopen(store, embedder="hashing") as recall, thread_saver(threads) as at:
        graph = build_session_graph(recall.admin.services, at)
        done = await graph.ainvoke(Command(resume={"votes": {memory: "hot"}}), config)
    (waiting,) = done["__interrupt__"]
    return {"round": waiting.value["round"], "kept": waiting.value["kept"]}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(voted(*sys.argv[1:]))))

"""Checkpoints of a recall: under which id they are kept, and how one goes on from them."""

import hashlib
import json
import time
from typing import TYPE_CHECKING, Any, cast

from secondhop.errors import UsageError

if TYPE_CHECKING:
    from langgraph.types import Command

    from secondhop.graph.builder import RecallGraph


def own_thread(
    thread_id: str,
    entity: str,
    question: str,
    k: int | None,
    tokens: int | None,
    *sight: str | bool | None,
) -> str:
    """The caller's thread id, made the own one of this entity and question.

    Checkpointers are shared, and a thread id is often a chat's: neither another entity nor another
    question may go on with what this one left, and the chat's own checkpoints stay untouched.
    """
    asked = json.dumps([entity, question, k, tokens, *sight]).encode()
    return f"{thread_id}|recall|{hashlib.sha256(asked).hexdigest()[:16]}"


async def resumed(
    graph: "RecallGraph", thread_id: str, *, deadline_s: float
) -> "Command[Any] | None":
    """How to go on with what was interrupted under this id: with a deadline of its own.

    None for a fresh start. What an ended recall left is deleted, or it would mix with the new.

    Raises:
        UsageError: the graph has no checkpointer.
    """
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.types import Command

    if not isinstance(graph.checkpointer, BaseCheckpointSaver):
        raise UsageError("thread_id needs a checkpointer: Recall.open(…, checkpointer=…)")
    saver = cast("BaseCheckpointSaver[str]", graph.checkpointer)
    kept = await graph.aget_state({"configurable": {"thread_id": thread_id}})
    if kept.next and "deadline_at" in kept.values:
        return Command(update={"deadline_at": time.time() + deadline_s})
    if kept.values:
        await saver.adelete_thread(thread_id)
    return None

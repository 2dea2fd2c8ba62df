"""Checkpoints of a recall: their thread ids, and how a recall resumes from them."""

import hashlib
import json
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

from secondhop.errors import UsageError
from secondhop.moments import with_zone
from secondhop.nodes.state import RecallInput

if TYPE_CHECKING:
    from langgraph.types import Command

    from secondhop.graph.builder import RecallGraph


def own_thread(thread_id: str, entity: str, asked: RecallInput) -> str:
    """The caller's thread id, made specific to this entity, question and options.

    A checkpointer is often shared, and a thread id is often that of a chat. With an id of its own,
    a recall never resumes that of another entity or question, and the chat's own checkpoints stay
    untouched.
    """
    named = {"entity": entity, **{name: given for name, given in asked.items() if given}}
    digest = hashlib.sha256(
        json.dumps(named, sort_keys=True, default=utc_text).encode()
    ).hexdigest()
    return f"{thread_id}|recall|{digest[:16]}"


def utc_text(moment: object) -> str:
    """A moment in ISO format, in UTC if it has no zone; `repr` for anything else."""
    if not isinstance(moment, datetime):
        return repr(moment)
    return with_zone(moment).isoformat()


async def resumed(
    graph: "RecallGraph", thread_id: str, *, deadline_s: float
) -> "Command[Any] | None":
    """The Command that resumes an interrupted recall of this thread, with a new deadline.

    None if there is nothing to resume. The checkpoints of a recall that has ended are deleted,
    because they would mix with those of the new one.

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

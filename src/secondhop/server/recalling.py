"""Routes for recalls (as JSON or step by step), briefings, traces and explanations."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse

from secondhop.briefing.briefing import Briefing
from secondhop.errors import SecondhopError
from secondhop.explaining import hidden_now
from secondhop.graph.deciding import deciding_scores
from secondhop.graph.explanation import Explanation
from secondhop.graph.result import RecallResult
from secondhop.graph.score_story import factors_in_words
from secondhop.graph.slot_reason import last_because
from secondhop.graph.trace import RecallTrace
from secondhop.nodes.config import Config
from secondhop.recall import Recall
from secondhop.running import RecallEvent, RecallEvents
from secondhop.server.access import Readable, Server
from secondhop.server.bodies import MemoryId, Moment
from secondhop.server.metrics import Metrics
from secondhop.server.problems import problem_of
from secondhop.server.recall_bodies import (
    MemoryLine,
    PromptName,
    PromptWords,
    RecallBody,
    TraceLine,
)
from secondhop.server.recall_file import graph_of
from secondhop.server.used_prompts import used_prompts

router = APIRouter(tags=["recall"])

FIRST_WORDS = 200
"""Characters of text that identify a memory if its title does not."""

EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Events: `step` as a step ends, `result` at the end, `problem` on an error.",
        "content": {"text/event-stream": {"schema": {"type": "object", "required": ["data"]}}},
    }
}


@router.post("/recall")
async def recall(recall: Readable, body: RecallBody, server: Server) -> RecallResult:
    """The memories that a good answer needs, best first."""
    result: RecallResult | None = None
    async with aclosing(asked(recall, body)) as events:
        async for event in events:
            server.metrics.step(event)
            result = event.result or result
    assert result is not None  # the last event carries it
    return result


@router.post("/recall/stream", responses=EVENTS, response_class=StreamingResponse)
async def recall_stream(recall: Readable, body: RecallBody, server: Server) -> StreamingResponse:
    """The same as server-sent events: one for each step as it ends, then the result."""
    events = asked(recall, body)
    first = await anext(events)  # an invalid question gets an HTTP status, not an event
    return StreamingResponse(
        sent(first, events, metrics=server.metrics), media_type="text/event-stream"
    )


def asked(recall: Recall, body: RecallBody) -> RecallEvents:
    """Start the recall that a body asks for."""
    return recall.astream(**dict(body))


async def sent(
    first: RecallEvent, events: RecallEvents, *, metrics: Metrics
) -> AsyncGenerator[str, None]:
    """The events as text; an error ends them with a `problem` event."""
    event: RecallEvent | None = first
    try:
        async with aclosing(events):
            while event is not None:
                metrics.step(event)
                yield on_wire(event)
                event = await anext(events, None)
    except SecondhopError as error:
        yield f"event: problem\ndata: {problem_of(error).model_dump_json()}\n\n"


def on_wire(event: RecallEvent) -> str:
    """One event as text; its JSON has no line breaks, so it fits on one `data` line."""
    if event.result is not None:
        return f"event: result\ndata: {event.result.model_dump_json()}\n\n"
    names = ("node", "round", "ms", "note", "picks", "hops")
    step = {name: getattr(event, name) for name in names}
    return f"event: step\ndata: {json.dumps(step)}\n\n"


@router.get("/graph")
async def graph(recall: Readable) -> dict[str, list[Any]]:
    """The nodes and edges of the recall graph; `step` events name these nodes."""
    return graph_of(recall)


@router.get("/briefing")
async def briefing(
    recall: Readable,
    limit: Annotated[int | None, Query(ge=1, description="Entries; default 20.")] = None,
    tokens: Annotated[int | None, Query(ge=1, description="Instead of limit.")] = None,
    at: Moment | None = None,
) -> Briefing:
    """What to know when a chat starts, before anything is asked."""
    return await recall.memories.abriefing(limit=limit, tokens=tokens, at=at)


@router.get("/traces")
async def traces(
    recall: Readable, limit: Annotated[int, Query(ge=1, le=1000)] = 20
) -> list[TraceLine]:
    """The last recalls, the newest first."""
    return [
        TraceLine(
            trace_id=one.trace_id,
            question=one.question,
            asked_at=one.asked_at,
            as_of=one.as_of,
            include_stale=one.include_stale,
            k=one.k,
            returned=len(one.returned),
            sparked=sum(bool(candidate.sparked_by) for candidate in one.candidates),
            stop_reason=one.stop_reason,
            round=one.spent.rounds,
            votes=votes_before(one),
            effort=one.effort,
            planner=one.planner,
            critic=one.critic,
            prompts=[
                PromptName(**prompt.model_dump(exclude={"text"})) for prompt in used_prompts(one)
            ],
            settings=changed_settings(one, recall.admin.config),
        )
        for one in await asyncio.to_thread(recall.admin.last_traces, limit)
    ]


def votes_before(trace: RecallTrace) -> dict[str, int]:
    """{vote: on how many memories it is the last of people and agents}."""
    cast = ([v.vote for v in one.votes if v.by in {"person", "agent"}] for one in trace.candidates)
    return Counter(own[-1] for own in cast if own)


def changed_settings(
    trace: RecallTrace, config: Config
) -> dict[str, float | int | str | bool | None]:
    """The settings that differ from `config`, without that of k, which every recall has itself."""
    now = config.recorded
    return {
        name: value
        for name, value in trace.settings.items()
        if name != "limits.k" and name in now and value != now[name]
    }


@router.get("/traces/{trace_id}", response_model=RecallTrace)
async def trace(recall: Readable, trace_id: str) -> Response:
    """The whole trace of one recall."""
    found = await asyncio.to_thread(recall.trace, trace_id)
    return Response(found.model_dump_json(), media_type="application/json")


@router.get("/traces/{trace_id}/scores")
async def scores(recall: Readable, trace_id: str) -> dict[str, float]:
    """{memory: the score that decided whether it got a slot}."""
    return deciding_scores(await asyncio.to_thread(recall.trace, trace_id))


@router.get("/traces/{trace_id}/prompts")
async def prompts(recall: Readable, trace_id: str) -> list[PromptWords]:
    """The prompts that a recall was planned and judged with."""
    return used_prompts(await asyncio.to_thread(recall.trace, trace_id))


@router.get("/traces/{trace_id}/memories")
async def memories_told_of(recall: Readable, trace_id: str) -> list[MemoryLine]:
    """The candidates of a trace, the memories that replace them, and the evidence of the answer.

    They are as stored now; what was forgotten or changed is left out.
    """
    kept = await asyncio.to_thread(recall.trace, trace_id)
    reader = recall.admin.services.reader
    known = {one.memory_id: one for one in kept.candidates}
    named = ((one.memory_id, one.outdated_by, one.weakened_by) for one in kept.candidates)
    ids = dict.fromkeys(one for each in named for one in each if one)
    cards = await reader.cards(list(ids))
    passages = await reader.passages([one for own in kept.evidence.values() for one in own])
    stored = [await reader.memory(one) for one in ids]
    ended = (await hidden_now(kept, recall.admin.store)).ended
    return [
        MemoryLine(
            memory_id=one.memory_id,
            title=one.title,
            source=one.source,
            kind=one.kind,
            role=cards[one.memory_id].role,
            created_at=one.created_at,
            text=one.text[:FIRST_WORDS],
            evidence=[
                passages[own].text
                for own in kept.evidence.get(one.memory_id, [])
                if own in passages
            ],
            factors=factors_in_words(kept, known[one.memory_id]) if one.memory_id in known else [],
            last_because=last_because(kept, known[one.memory_id]) if one.memory_id in known else "",
            stale=ended[one.memory_id].describe() if one.memory_id in ended else "",
        )
        for one in stored
        if one is not None and one.memory_id in cards
    ]


@router.get("/traces/{trace_id}/explain")
async def explain(
    recall: Readable, trace_id: str, memory_id: Annotated[MemoryId, Query()]
) -> Explanation:
    """Why a memory came back in that recall, or why not, and what would admit it."""
    kept = await asyncio.to_thread(recall.trace, trace_id)  # `aexplain` also takes a file
    return await recall.aexplain(kept, memory_id)

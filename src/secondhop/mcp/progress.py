"""Reports the steps of a recall to an MCP client as they end."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.mcpserver import Context

from secondhop.running import RecallEvent
from secondhop.sessions.rounds import Progress


@asynccontextmanager
async def reporting(ctx: Context[Any, Any]) -> AsyncGenerator[Progress, None]:
    """A progress callback that reports steps to the client without delaying the recall.

    A client that did not ask for progress gets no reports. All reports are sent before the block
    ends.
    """
    steps: asyncio.Queue[RecallEvent | None] = asyncio.Queue()

    async def tell() -> None:
        count = 0
        while (event := await steps.get()) is not None:
            count += 1
            await ctx.report_progress(count, message=line_of(event))

    telling = asyncio.create_task(tell())
    try:
        yield steps.put_nowait
    finally:
        steps.put_nowait(None)
        await telling


def line_of(event: RecallEvent) -> str:
    """Round, hops and step of an event, with its outcome.

    >>> from secondhop.running import RecallEvent
    >>> line_of(RecallEvent(node="dispatch", round=1, ms=1, note="3 queries", picks=(), hops=(1,)))
    'round 1, hop 1, dispatch: 3 queries'
    """
    hops = f"hop {' and '.join(map(str, event.hops))}, " if event.hops else ""
    return f"round {event.round}, {hops}{event.node}: {event.note}"

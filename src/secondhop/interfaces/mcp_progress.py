"""Steps of a recall, told to an MCP client as they end."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.mcpserver import Context

from secondhop.running import RecallEvent
from secondhop.session_rounds import Progress


@asynccontextmanager
async def told(ctx: Context[Any, Any]) -> AsyncGenerator[Progress, None]:
    """Hears steps, and tells the client without making the recall wait.

    A client that did not ask for progress hears nothing. All is told when the block ends.
    """
    steps: asyncio.Queue[RecallEvent | None] = asyncio.Queue()

    async def tell() -> None:
        count = 0
        while (event := await steps.get()) is not None:
            count += 1
            message = f"round {event.round}, {event.node}: {event.note}"
            await ctx.report_progress(count, message=message)

    telling = asyncio.create_task(tell())
    try:
        yield steps.put_nowait
    finally:
        steps.put_nowait(None)
        await telling

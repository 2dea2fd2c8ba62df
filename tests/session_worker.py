"""A worker that serves sessions, one JSON line a request, many at a time. For tests that kill it.

python session_worker.py FOLDER REDIS_URL
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from secondhop.errors import SecondhopError
from secondhop.sessions.service import Sessions
from secondhop.stores.sessions_redis import RedisSessions


async def main(folder: Path, url: str) -> None:
    """Until stdin ends."""
    from tests.session_world import session_services, sessions_over
    from tests.small_world import small_world

    world = await small_world(folder)
    services = session_services(world, planner=world.services().planner)
    sessions = sessions_over(services, RedisSessions(url))
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    print("ready", flush=True)
    at_work: set[asyncio.Task[None]] = set()
    while line := await reader.readline():
        task = asyncio.create_task(serve(json.loads(line), sessions))
        at_work.add(task)
        task.add_done_callback(at_work.discard)
    await sessions.aclose()
    await world.store.aclose()


async def serve(request: dict[str, Any], sessions: Sessions) -> None:
    """One request, one line of reply."""
    number, work = request.pop("number"), request.pop("do")
    try:
        if work == "resolve":
            done = (await sessions.aresolve(**request)).session.model_dump(mode="json")
        elif work == "start":
            done = (await sessions.astart(**request)).model_dump(mode="json")
        elif work == "vote":
            done = (await sessions.avote(**request)).model_dump(mode="json")
        else:
            done = (await sessions.aget(**request)).model_dump(mode="json")
        reply = {"number": number, "done": done}
    except SecondhopError as error:
        reply = {"number": number, "error": type(error).__name__, "message": str(error)}
    print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))

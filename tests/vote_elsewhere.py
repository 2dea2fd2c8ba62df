"""A program that votes on a session that another process began, and prints what it saw as JSON.

python vote_elsewhere.py STORE SESSION_ID VOTES
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from secondhop.recall import Recall


async def voted(store: Path, session_id: str, votes: dict[str, str]) -> dict[str, Any]:
    """Vote on a session; returns the answer that it found and the next one."""
    steps: list[str] = []
    async with await Recall.aopen(store, entity="mara", embedder="hashing") as recall:
        found = await recall.sessions.aget(session_id)
        after = await recall.sessions.avote(
            session_id, votes, progress=lambda event: steps.append(event.node)
        )
    return {
        "process": os.getpid(),
        "found": found.ids(),
        "round": after.round,
        "shown": after.ids(),
        "kept": after.kept,
        "steps": steps,
    }


if __name__ == "__main__":
    place, session, ballot = sys.argv[1:]
    print(json.dumps(asyncio.run(voted(Path(place), session, json.loads(ballot)))))

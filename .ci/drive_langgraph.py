"""Asks the graphs of langgraph.json at a LangGraph server: a recall, and a session with votes."""

import asyncio
import sys
import time

import httpx
from langgraph_sdk import get_client

QUESTION = {"question": "Which walnuts give Mia a rash?"}


async def main(url: str) -> None:
    """Raises AssertionError where an answer is not what it should be."""
    client = get_client(url=url)
    await until_ready(url)
    steps: list[str] = []
    async for part in client.runs.stream(None, "recall", input=QUESTION, stream_mode="updates"):
        assert part.event != "error", part.data
        steps += part.data if part.event == "updates" else []
    assert steps[0] == "begin", steps
    assert steps[-1] == "resolve", steps
    recalled = await client.runs.wait(None, "recall", input=QUESTION)
    assert recalled["result"]["memories"][0]["id"] == "walnuts", recalled

    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "session", input=QUESTION)
    waiting = (await client.threads.get_state(thread))["interrupts"][0]["value"]
    assert waiting["memories"][0]["id"] == "walnuts", waiting
    votes = {"votes": {"walnuts": "hot"}}
    await client.runs.wait(thread, "session", command={"resume": votes})
    done = await client.runs.wait(thread, "session", command={"resume": {"resolve": {}}})
    assert done["resolved"]["accepted"] == ["walnuts"], done
    print("langgraph dev serves recall and session:", " ".join(steps))


async def until_ready(url: str) -> None:
    """Until the server answers, half a minute at most."""
    deadline = time.monotonic() + 30
    async with httpx.AsyncClient() as http:
        while True:
            try:
                (await http.get(f"{url}/ok")).raise_for_status()
                return
            except httpx.HTTPError:
                if time.monotonic() > deadline:
                    raise
                await asyncio.sleep(0.3)


asyncio.run(main(sys.argv[1]))

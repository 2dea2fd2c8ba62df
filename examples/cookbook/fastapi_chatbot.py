"""A chatbot behind FastAPI: one memory per user, and the steps of each recall as they happen.

    python examples/cookbook/fastapi_chatbot.py                # two users ask, then it exits
    python examples/cookbook/fastapi_chatbot.py --port 8000    # http://localhost:8000, until Ctrl-C
    curl -N localhost:8000/chat -H "X-User: ana" --json '{"text": "Plan my training"}'

Needs `pip install 'secondhop[server]' httpx`.
"""

import argparse
import json
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Annotated

import uvicorn
from fastapi import FastAPI, Header
from fastapi.responses import HTMLResponse, StreamingResponse
from fastapi.testclient import TestClient
from pydantic import BaseModel, Field

from secondhop import RecallPool

User = Annotated[str, Header(alias="X-User")]  # take it from the login instead

PAGE = """<!doctype html>
<form><input name="said" size="60" value="Plan my training"> <button>Ask</button></form><pre></pre>
<script>
document.forms[0].onsubmit = async (event) => {
  event.preventDefault();
  const headers = {"Content-Type": "application/json", "X-User": "ana"};
  const body = JSON.stringify({text: event.target.said.value});
  const answer = await fetch("/chat", {method: "POST", headers, body});
  const events = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let one; !(one = await events.read()).done;) document.querySelector("pre").append(one.value);
};
</script>"""  # append writes text, so the text of a memory never becomes HTML


class Said(BaseModel):
    text: Annotated[str, Field(pattern=r"\S", max_length=20_000)]  # a blank question is an error


def app_over(pool: RecallPool) -> FastAPI:
    """The app with its routes; it closes the pool when it ends."""

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncGenerator[None]:
        async with pool:
            yield

    app = FastAPI(lifespan=life)

    @app.get("/", response_class=HTMLResponse)
    async def page() -> str:
        return PAGE

    @app.post("/notes")
    async def remember(said: Said, user: User) -> dict[str, str]:
        async with pool.recall(user) as recall:
            return {"id": (await recall.memories.aremember(said.text)).memory_id}

    @app.post("/chat")
    async def chat(said: Said, user: User) -> StreamingResponse:
        return StreamingResponse(events(said.text, user), media_type="text/event-stream")

    async def events(question: str, user: str) -> AsyncGenerator[str]:
        async with pool.recall(user) as recall:
            async for step in recall.astream(question, k=2):
                yield event("step", {"name": step.node, "note": step.note})
                if step.result is not None:
                    found = [m.evidence[0].text for m in step.result.memories]
                    wishes = [one.text for one in step.result.preferences]
                    trace = step.result.trace_id
                    yield event("answer", {"trace": trace, "from": found, "wishes": wishes})

    return app


def event(name: str, told: dict[str, object]) -> str:
    return f"event: {name}\ndata: {json.dumps(told)}\n\n"


def main(port: int | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        app = app_over(RecallPool(folder, embedder="hashing"))
        if port is not None:
            return uvicorn.run(app, port=port)
        with TestClient(app) as client:
            for user, note in {"ana": "No running: my knee.", "ben": "I work at night."}.items():
                client.post("/notes", json={"text": note}, headers={"X-User": user})
                asked = {"text": "Plan my training: running, at night?"}
                print(user, client.post("/chat", json=asked, headers={"X-User": user}).text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int)
    main(parser.parse_args().port)

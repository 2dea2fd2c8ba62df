"""The chatbot behind a web server in plain asyncio: server-sent events while the work is done.

`GET /chat?user=ana&question=...` answers with the events of one turn as they happen: `progress`
for each step of the recall, `memories` with what came back and why, `token` as the answer is
written, `citation`, `observed`, `done` with what the recall cost. `GET /` is a page for a browser
that shows them as they come.
`/vote?user=ana&number=1&vote=hot` says that a memory was good, `/end?user=ana` ends the talk. The
chat itself (`chat/talk.py`) knows nothing of HTTP; with FastAPI, `events(...)` goes into a
`StreamingResponse(..., media_type="text/event-stream")`.

    python examples/chat_backend.py                             # two users at once, then it ends
    python examples/chat_backend.py --embedder default          # with the real embedding model
    python examples/chat_backend.py --llm openai:gpt-4.1-mini   # a model plans, judges and writes
    python examples/chat_backend.py --port 8000                 # serves until Ctrl-C: open it, or
    curl -N "localhost:8000/chat?user=ana&question=Make+me+a+training+plan"

A model is found as OpenAI's own client does: OPENAI_API_KEY, and OPENAI_BASE_URL for another
server.
"""

import argparse
import asyncio
import json
import tempfile
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from chat.people import PEOPLE, past_of
from chat.talk import Chat, Events
from chat.users import Chats, model_of
from secondhop import SecondhopError

QUESTION = "Make me a training plan"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
PAGE_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"
PAGE = """<!doctype html><meta charset=utf-8><title>Chat</title>
<form><input name=question value="Make me a training plan" size=50><button>Ask</button></form>
<ol></ol><ul></ul><p></p>
<script>
const [steps, memories, answer] = document.querySelectorAll("ol, ul, p");
const line = (list, textContent) =>
  list.append(Object.assign(document.createElement("li"), {textContent}));
document.forms[0].onsubmit = (event) => {
  event.preventDefault();
  for (const part of [steps, memories, answer]) part.replaceChildren();
  const asked = new URLSearchParams({user: "ana", question: event.target.question.value});
  const stream = new EventSource(`/chat?${asked}`);
  const on = (name, show) => stream.addEventListener(name, (one) => show(JSON.parse(one.data)));
  on("progress", (told) => line(steps, `${told.step}: ${told.note}`));
  on("memories", (told) => {
    for (const one of told.memories) line(memories, `${one.title}: ${one.why}`);
  });
  on("token", (told) => { answer.append(told.text); });
  for (const name of ["done", "error"]) stream.addEventListener(name, () => stream.close());
};
</script>"""
NEEDED = {"/chat": {"question"}, "/vote": {"number", "vote"}, "/end": set[str]()}
"""{path: what it takes beside the user}."""


def turn(chat: Chat, path: str, asked: dict[str, str]) -> Events:
    """What a request asks the chat to do."""
    if path == "/chat":
        return chat.reply(asked["question"])
    if path == "/vote":
        return chat.vote([int(asked["number"])], asked["vote"])
    return chat.end()


async def serve(chats: Chats, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One request. Here the user is a word in the URL: take yours from the login."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
        url = urlsplit(head.split(b" ", 2)[1].decode("ascii", "replace"))
        if url.path == "/":
            writer.write(PAGE_HEAD + PAGE.encode())
            return
        asked = dict(parse_qsl(url.query))
        if url.path not in NEEDED or not NEEDED[url.path] | {"user"} <= asked.keys():
            writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            return
        writer.write(HEAD)
        async with aclosing(events(chats, url.path, asked)) as told:
            async for event in told:
                writer.write(event)
                await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        pass  # the client has gone, and the turn ends with it
    finally:
        writer.close()


async def events(chats: Chats, path: str, asked: dict[str, str]) -> AsyncGenerator[bytes, None]:
    """A turn as server-sent events; what goes wrong is one of them."""
    try:
        chat = await chats.of(asked["user"])
        async with aclosing(turn(chat, path, asked)) as happening:
            async for event in happening:
                yield sent(event.name, event.told)
    except (SecondhopError, ValueError) as error:
        yield sent("error", {"message": str(error)})


def sent(name: str, told: dict[str, Any]) -> bytes:
    """One server-sent event."""
    return f"event: {name}\ndata: {json.dumps(told)}\n\n".encode()


async def client(port: int, user: str) -> None:
    """What a browser does with it: show every event as it comes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    query = urlencode({"user": user, "question": QUESTION})
    writer.write(f"GET /chat?{query} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    name, words = "", list[str]()
    async for line in reader:
        field, _, value = line.decode().strip().partition(": ")
        if field == "event":
            name = value
        elif field == "data" and name == "token":
            words.append(json.loads(value)["text"])
        elif field == "data":
            if words:
                print(f"{user} < {len(words)} tokens: {''.join(words)}")
                words.clear()
            print(f"{user} < {name}: {shown(name, json.loads(value))}")
    writer.close()


def shown(name: str, told: dict[str, Any]) -> str:
    """One event, in a line."""
    if name == "progress":
        return f"{told['step']}: {told['note']}"
    if name == "memories":
        return ", ".join(memory["title"] for memory in told["memories"])
    return json.dumps(told, ensure_ascii=False)


async def main(embedder: str, llm: str | None, port: int | None) -> None:
    """Store what the users said before, and serve."""
    with tempfile.TemporaryDirectory() as folder:
        chats = Chats(folder, embedder=embedder, llm=llm)
        try:
            for user in PEOPLE:
                await (await chats.of(user)).recall.aadd(past_of(user))
            server = await asyncio.start_server(
                lambda reader, writer: serve(chats, reader, writer), "127.0.0.1", port or 0
            )
            async with server:
                if port is not None:
                    print(f"http://localhost:{port}/chat?user=ana&question=... until Ctrl-C")
                    await server.serve_forever()
                listening = server.sockets[0].getsockname()[1]
                await asyncio.gather(*(client(listening, user) for user in PEOPLE))
        finally:
            await chats.aclose()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--embedder", default="hashing")
    parser.add_argument("--llm", metavar="openai:MODEL")
    parser.add_argument("--port", type=int)
    given = parser.parse_args()
    with suppress(KeyboardInterrupt):
        asyncio.run(main(given.embedder, model_of(given.llm), given.port))

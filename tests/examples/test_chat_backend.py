"""The chat backend on a real socket: what a client sees, and when it hangs up."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from chat_backend import serve
from tests.examples.streaming import streamed, torn, writing
from tests.models.fault_server import running
from tests.server.browser import chromium, new_page

from chat.people import past_of
from chat.users import Chats

pytestmark = pytest.mark.usefixtures("library_of_tests")

Told = list[tuple[str, dict[str, Any]]]


@asynccontextmanager
async def backend(store: Path, *, llm: str | None = None) -> AsyncGenerator[int]:
    """The backend with ana's memory, on a port."""
    chats = Chats(store, llm=llm)
    await (await chats.of("ana")).recall.aadd(past_of("ana"))
    server = await asyncio.start_server(
        lambda reader, writer: serve(chats, reader, writer), "127.0.0.1", 0
    )
    async with server:
        yield server.sockets[0].getsockname()[1]
    await chats.aclose()


async def said(port: int, path: str) -> tuple[str, Told]:
    """(status line, events) of one request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    head, _, body = (await reader.read()).decode().partition("\r\n\r\n")
    writer.close()
    events: Told = []
    for block in body.split("\n\n")[:-1]:
        name, data = block.split("\n")
        events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return head.splitlines()[0], events


def path(name: str, user: str, **asked: str) -> str:
    return f"/{name}?" + urlencode({"user": user, **asked})


def chat(user: str, question: str = "Make me a training plan") -> str:
    return path("chat", user, question=question)


async def test_a_client_sees_the_turn_as_it_happens_votes_and_ends_the_talk(tmp_path: Path) -> None:
    async with backend(tmp_path) as port:
        first, events = await said(port, chat("ana"))
        _, voted = await said(port, path("vote", "ana", number="3", vote="hot"))
        _, ended = await said(port, path("end", "ana"))

    assert first == "HTTP/1.1 200 OK"
    names = list(dict.fromkeys(name for name, _ in events))
    assert names == ["briefing", "progress", "memories", "token", "citation", "done"]
    steps = [told["step"] for name, told in events if name == "progress"]
    assert {"fuse", "pick_round"} <= set(steps)
    assert events[-1][1]["llm_calls"] == 0
    assert voted[0][0] == "voted"
    assert dict(ended)["resolved"]["accepted"] == voted[0][1]["titles"]


@pytest.mark.model  # prompts are counted with tiktoken's ranks
async def test_a_reply_that_breaks_off_is_told_and_the_next_request_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(writing(torn(["Swim "]), streamed(["Swim [1]."]))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        async with backend(tmp_path, llm=f"openai:{server.model}") as port:
            _, broken = await said(port, chat("ana"))
            _, whole = await said(port, chat("ana", "And my training plan?"))

    assert [told["text"] for name, told in broken if name == "token"] == ["Swim "]
    assert dict(broken)["memories"]["memories"]
    assert "failed" in dict(broken)
    assert "failed" not in dict(whole)


def shown_in_a_browser(port: int, picture: Path) -> dict[str, str]:
    """The texts of the page's parts after a question, by their tags."""
    with chromium() as browser, new_page(browser) as page:
        page.goto(f"http://127.0.0.1:{port}/")
        page.click("button")
        page.wait_for_selector("p:not(:empty)")
        page.screenshot(path=picture)
        return {tag: page.inner_text(tag) for tag in ("ol", "ul", "p")}


@pytest.mark.slow
async def test_a_browser_shows_a_turn_as_it_streams(tmp_path: Path) -> None:
    async with backend(tmp_path / "store") as port:
        shown = await asyncio.to_thread(shown_in_a_browser, port, tmp_path / "page.png")

    assert "retrieve: 1 query" in shown["ol"]
    assert "My last training plan failed" in shown["ul"] + shown["p"]
    assert shown["p"].startswith("(scripted)")

"""The chat backend on a real socket: what a client sees, and when it hangs up."""

import asyncio
import importlib.util
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.interfaces.model_server import decomposed, schema_of
from tests.models.fault_server import Exchange, FaultServer, answer, running, status

pytestmark = pytest.mark.usefixtures("library_of_tests")

FILE = Path(__file__).resolve().parents[2] / "examples" / "chat_backend.py"
NO_FACETS: object = {"intent": "", "facets": []}
NO_VOTES: object = {"votes": [], "empty_facets": [], "new_queries": [], "go_on": False}
PIECES = ["Swim ", "twice ", "a week [1]."]


def example() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("chat_backend", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@asynccontextmanager
async def backend(store: Path, *, model: str | None = None) -> AsyncGenerator[int]:
    """The backend with ana's memory, on a port."""
    script = example()
    made = script.Backend(str(store), embedder="hashing", model=model)
    ana = await made.memory_of("ana")
    await ana.aadd(script.memory(title, text) for title, text in script.USERS["ana"].items())
    server = await asyncio.start_server(
        lambda reader, writer: script.serve(made, reader, writer), "127.0.0.1", 0
    )
    async with server:
        yield server.sockets[0].getsockname()[1]
    await made.aclose()


async def said(port: int, path: str) -> tuple[str, list[tuple[str, dict[str, Any]]]]:
    """(status line, events) of one request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    head, _, body = (await reader.read()).decode().partition("\r\n\r\n")
    writer.close()
    events: list[tuple[str, dict[str, Any]]] = []
    for block in body.split("\n\n")[:-1]:
        name, data = block.split("\n")
        events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return head.splitlines()[0], events


def chat(user: str, question: str = "Make me a training plan") -> str:
    return "/chat?" + urlencode({"user": user, "question": question})


async def test_a_client_sees_the_recall_s_steps_then_memories_then_the_reply(
    tmp_path: Path,
) -> None:
    async with backend(tmp_path) as port:
        first, events = await said(port, chat("ana"))

    assert first == "HTTP/1.1 200 OK"
    names = [name for name, _ in events]
    assert names[0] == "progress"
    assert names[-3:] == ["memories", "text", "done"]
    steps = [data["step"] for name, data in events if name == "progress"]
    assert steps[0] == "begin"
    assert {"fuse", "critique", "resolve"} <= set(steps)
    assert events[-1][1]["llm_calls"] == 0


async def test_a_new_user_gets_a_reply_and_nothing_of_another_user(tmp_path: Path) -> None:
    async with backend(tmp_path) as port:
        _, events = await said(port, chat("eve"))

    assert [name for name, _ in events] == ["memories", "text", "done"]
    assert events[0][1]["memories"] == []


async def test_what_is_no_question_is_told_to_the_client(tmp_path: Path) -> None:
    async with backend(tmp_path) as port:
        assert (await said(port, "/"))[0] == "HTTP/1.1 404 Not Found"
        assert (await said(port, "/chat?user=ana"))[0] == "HTTP/1.1 404 Not Found"
        _, events = await said(port, chat("ana", " "))

    assert [name for name, _ in events] == ["error"]
    assert "question" in events[0][1]["message"]


async def written(exchange: Exchange) -> None:
    """Plans and votes as asked; the reply comes piece by piece."""
    if "response_format" in exchange.asked:
        plans = {"DecomposeReply": decomposed("", ""), "ExpandReply": NO_FACETS}
        said = plans.get(schema_of(exchange.asked), NO_VOTES)
        await answer(json.dumps(said))(exchange)
        return
    chunks = [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in PIECES]
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    await exchange.send(200, "".join([*lines, "data: [DONE]\n\n"]).encode())


@pytest.mark.model  # prompts are counted with tiktoken's ranks
async def test_a_model_plans_and_writes_the_reply_piece_by_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(FaultServer(otherwise=written)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        async with backend(tmp_path, model=server.model) as port:
            _, events = await said(port, chat("ana"))

    assert [data["text"] for name, data in events if name == "text"] == PIECES
    assert events[-1][1]["llm_calls"] >= 3
    prompt = server.asked[-1]["messages"]
    assert "never instructions" in prompt[0]["content"]
    assert '"My last training plan failed' in prompt[1]["content"]


@pytest.mark.model
async def test_a_model_that_is_down_costs_the_reply_not_the_memories(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(FaultServer(otherwise=status(401))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        async with backend(tmp_path, model=server.model) as port:
            _, events = await said(port, chat("ana"))

    told = dict(events)
    assert told["memories"]["memories"]
    assert any("planned offline instead" in reason for reason in told["memories"]["degraded"])
    assert told["error"] == {"message": "no reply: AuthenticationError"}


async def test_a_client_that_hangs_up_leaves_the_server_working(tmp_path: Path) -> None:
    async with backend(tmp_path) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET {chat('ana')} HTTP/1.1\r\n\r\n".encode())
        await reader.readline()
        writer.transport.abort()
        _, events = await said(port, chat("ana"))

    assert events[-1][0] == "done"

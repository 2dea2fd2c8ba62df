"""A scripted model behind a real HTTP server, which runs in its own thread."""

import asyncio
import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.cli.prompt_lab import BETTER, UNANSWERABLE
from tests.models.fault_server import Exchange, FaultServer, answer, running

SERVED_BY = {"own plan": "My plan", "track record": "Résumé"}
"""{facet: words in the memory that serves it}."""


def decomposed(_system: str, _user: str) -> object:
    return {"kind": "conceptual", "rewordings": [], "parts": []}


def expanded(system: str, _user: str) -> dict[str, object]:
    """One facet; if the prompt has the sentence `BETTER`, also one that finds another memory."""
    found = [facet("own plan", "my plan for the job: cut onboarding")]
    if BETTER in system:
        found.append(facet("track record", "résumé: years of product, teams led, launches"))
    return {"intent": "get ready", "facets": found}


def facet(name: str, query: str) -> dict[str, object]:
    return {"name": name, "why": "It helps.", "weight": 1, "queries": [query]}


def judged(_system: str, user: str) -> object:
    """Hot if a memory serves a planned facet, else cold; all cold if the question has no answer."""
    facets = dict(re.findall(r"^(e\d) \| ([a-z ]+) \|", user, re.M))
    votes: list[dict[str, object]] = []
    for one, text in re.findall(r"<memory (\w+)>(.*?)</memory", user, re.S):
        serves = [known for known, name in facets.items() if SERVED_BY[name] in text]
        serves = [] if UNANSWERABLE["query"] in user else serves
        votes.append({"id": one, "vote": "hot" if serves else "cold", "facets": serves})
    return {"votes": votes, "new_queries": [], "go_on": False}


Reply = Callable[[str, str], object]


@dataclass(slots=True)
class ModelServer:
    """The server, its replies by schema, and what it was asked."""

    server: FaultServer
    replies: dict[str, Reply] = field(
        default_factory=lambda: {
            "DecomposeReply": decomposed,
            "ExpandReply": expanded,
            "CritiqueReply": judged,
        }
    )

    @property
    def spec(self) -> str:
        """The value for `--llm`."""
        return f"openai:{self.server.model}"

    def asked(self) -> Counter[str]:
        """{schema: number of requests since the last call}."""
        names = Counter(schema_of(body) for body in self.server.asked)
        self.server.asked.clear()
        return names

    async def reply(self, exchange: Exchange) -> None:
        """Answer with the reply for the schema of the request."""
        system, user = (message["content"] for message in exchange.asked["messages"])
        said = self.replies[schema_of(exchange.asked)](system, user)
        await answer(json.dumps(said))(exchange)


def schema_of(asked: dict[str, Any]) -> str:
    return str(asked["response_format"]["json_schema"]["name"])


@contextmanager
def model_server() -> Generator[ModelServer, None, None]:
    """The server, running while the block runs."""
    model = ModelServer(FaultServer())
    model.server.otherwise = model.reply
    started, ended = threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with running(model.server):
            started.set()
            await ended.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert started.wait(10)
        yield model
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(10)
        loop.close()

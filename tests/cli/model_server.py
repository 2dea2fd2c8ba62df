"""A model behind a real HTTP server, in a thread of its own, that answers by what it is asked."""

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
"""{facet: words of the memory that serves it}."""


def decomposed(_system: str, _user: str) -> object:
    return {"kind": "conceptual", "rewordings": [], "parts": []}


def expanded(system: str, _user: str) -> dict[str, object]:
    """One facet; with the magic sentence another that finds what the first does not."""
    found = [facet("own plan", "my plan for the job: cut onboarding")]
    if BETTER in system:
        found.append(facet("track record", "résumé: years of product, teams led, launches"))
    return {"intent": "get ready", "facets": found}


def facet(name: str, query: str) -> dict[str, object]:
    return {"name": name, "why": "It helps.", "weight": 1, "queries": [query]}


def judged(_system: str, user: str) -> object:
    """Hot for what serves a planned facet, cold for the rest, and for all where none can help."""
    facets = dict(re.findall(r"^(e\d) \| ([a-z ]+) \|", user, re.M))
    votes: list[dict[str, object]] = []
    for one, text in re.findall(r"<memory (\w+)>(.*?)</memory", user, re.S):
        serves = [known for known, name in facets.items() if SERVED_BY[name] in text]
        serves = [] if UNANSWERABLE["query"] in user else serves
        votes.append({"id": one, "vote": "hot" if serves else "cold", "facets": serves})
    return {"votes": votes, "empty_facets": [], "new_queries": [], "go_on": False}


Reply = Callable[[str, str], object]


@dataclass(slots=True)
class ModelServer:
    """What a test asks of it, and what it was asked."""

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
        """For `--llm`."""
        return f"openai:{self.server.model}"

    def asked(self) -> Counter[str]:
        """{schema: requests}; what was counted before is forgotten."""
        names = Counter(schema_of(body) for body in self.server.asked)
        self.server.asked.clear()
        return names

    async def reply(self, exchange: Exchange) -> None:
        """By the schema that is asked for."""
        system, user = (message["content"] for message in exchange.asked["messages"])
        said = self.replies[schema_of(exchange.asked)](system, user)
        await answer(json.dumps(said))(exchange)


def schema_of(asked: dict[str, Any]) -> str:
    return str(asked["response_format"]["json_schema"]["name"])


@contextmanager
def model_server() -> Generator[ModelServer, None, None]:
    """The server, running until the end."""
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

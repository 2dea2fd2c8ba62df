"""A language model that plays back replies, and helpers for tests that ask it."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel

from secondhop.models.llm import ChatMessage
from secondhop.nodes.budget import Remaining
from secondhop.nodes.critics.port import CandidateView, CriticRequest
from secondhop.nodes.critics.sheet import CriticSheet, critic_sheet
from secondhop.nodes.selection.relevance import LEAST_RELEVANCE
from secondhop.nodes.state import Facet
from secondhop.prompts.quoting import Tags
from secondhop.prompts.templates import load_prompts
from secondhop.testing import ModelRequest, ScriptedModel

SECRET = b"tests"
PLENTY = Remaining(rounds=3, llm_calls=8, llm_tokens=40_000, seconds=30.0)


class ScriptedLLM(ScriptedModel):
    """Plays back replies by the name of the schema; a function gets the user message."""

    def __init__(self, **script: Sequence[object]) -> None:
        by_schema = {
            name: [_of_user(reply) for reply in replies] for name, replies in script.items()
        }
        super().__init__(by_schema)

    @property
    def prompts(self) -> list[str]:
        return [request.prompt for request in self.requests]

    @property
    def asked(self) -> list[tuple[str, int, float]]:
        """(schema, tokens, seconds) of each request."""
        return [
            (request.schema.__name__, request.max_tokens, request.deadline_s)
            for request in self.requests
        ]


class RepeatableLLM(ScriptedLLM):
    """Its prompts have the tags of `SECRET`, like those of a model whose answers are cached."""

    tag_secret = SECRET

    async def forget(self, messages: Sequence[ChatMessage], *, schema: type[BaseModel]) -> None:
        """Nothing is cached."""


def _of_user(reply: Any) -> object:
    """A reply for `ScriptedModel`: turns a function of the user message into one of the request."""
    if not callable(reply):
        return reply

    def answer(request: ModelRequest) -> object:
        return reply(request.messages[-1]["content"])

    return answer


def view(
    memory_id: str, *evidence: str, title: str = "", day: int = 1, score: float = 0.5, **more: Any
) -> CandidateView:
    """A candidate written on a day of January 2026, relevant to facet e1."""
    return CandidateView(
        memory_id=memory_id,
        title=title or f"About {memory_id}",
        source="note",
        created_at=datetime(2026, 1, day, tzinfo=UTC),
        score=score,
        is_founded=score >= LEAST_RELEVANCE,
        relevance=more.pop("relevance", {"e1": score, "f0": 0.1}),
        text=" … ".join(evidence or (f"What {memory_id} says.",)),
        **more,
    )


def state_facet(facet_id: str, name: str, *, hop: int = 2) -> Facet:
    return Facet(facet_id=facet_id, name=name, why=f"Needs {name}.", hop=hop, weight=1.0)


def critic_request(*candidates: CandidateView, **parts: Any) -> CriticRequest:
    """A request of the first round with three facets; `parts` replace any field."""
    fields: dict[str, Any] = {
        "question": "Help me prepare for my interview",
        "kind": "conceptual",
        "asked_at": datetime(2026, 3, 1, tzinfo=UTC),
        "facets": [
            state_facet("f0", "the question itself", hop=1),
            state_facet("e1", "own plan"),
            state_facet("e2", "achievements"),
        ],
        "candidates": candidates,
        "asked": ["my plan for the first year"],
        "round": 1,
        "remaining": PLENTY,
    }
    return CriticRequest(**{**fields, **parts})


def sheet_of(request: CriticRequest, *, tokens: int = 6_000) -> CriticSheet:
    """The sheet that a critic with the tests' secret would send."""
    prompt = load_prompts()["critique"]
    return critic_sheet(request, prompt, tags=Tags(SECRET), tokens=tokens)


def call_ids(sheet: CriticSheet) -> Mapping[str, str]:
    """{memory id: id of the call}."""
    return {memory_id: call_id for call_id, memory_id in sheet.memory_ids.items()}

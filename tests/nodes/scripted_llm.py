"""A language model that plays replies back, and what its tests ask with."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from secondhop.models.llm import ChatMessage, Completion, LLMError, Usage
from secondhop.nodes.budget import Remaining
from secondhop.nodes.critics.port import CandidateView, CriticRequest
from secondhop.nodes.critics.quoting import Tags
from secondhop.nodes.critics.sheet import CriticSheet, critic_sheet
from secondhop.nodes.state import Facet
from secondhop.prompts.templates import load_prompts

T = TypeVar("T", bound=BaseModel)
Reply = object | Callable[[str], object]
"""What the model says: plain values, an error, or a function of the user message."""

SECRET = b"tests"
PLENTY = Remaining(rounds=3, llm_calls=8, llm_tokens=40_000, seconds=30.0)


class ScriptedLLM:
    """Plays replies back by the name of the schema that is asked for."""

    def __init__(self, **script: Sequence[Reply]) -> None:
        self._script = {schema: list(replies) for schema, replies in script.items()}
        self.prompts: list[str] = []
        self.asked: list[tuple[str, int, float]] = []

    @property
    def model_id(self) -> str:
        return "scripted"

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: type[T],
        max_tokens: int,
        deadline_s: float,
        max_calls: int,
        max_total_tokens: int | None = None,
    ) -> Completion[T]:
        self.prompts.append("\n".join(message["content"] for message in messages))
        self.asked.append((schema.__name__, max_tokens, deadline_s))
        reply = self._script[schema.__name__].pop(0)
        said = reply(messages[-1]["content"]) if callable(reply) else reply
        if isinstance(said, Exception):
            raise said
        try:
            parsed = schema.model_validate(said)
        except ValidationError as error:
            raise LLMError(f"unreadable: {error}") from error
        usage = Usage(calls=1, prompt_tokens=1_000, completion_tokens=100)
        return Completion(parsed=parsed, usage=usage)


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
        relevance=more.get("relevance", {"e1": score, "f0": 0.1}),
        evidence=evidence or (f"What {memory_id} says.",),
    )


def state_facet(facet_id: str, name: str, *, hop: int = 2) -> Facet:
    return Facet(facet_id=facet_id, name=name, why=f"Needs {name}.", hop=hop, weight=1.0)


def critic_request(*candidates: CandidateView, **parts: Any) -> CriticRequest:
    """A first round with three facets; `parts` replace any field."""
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
        "coverage": {},
        "replaced_by": {},
        "asked": ["my plan for the first year"],
        "round": 1,
        "remaining": PLENTY,
    }
    return CriticRequest(**{**fields, **parts})


def sheet_of(request: CriticRequest, *, tokens: int = 6_000) -> CriticSheet:
    """The sheet that a critic with the secret of tests would send."""
    prompt = load_prompts()["critique"]
    return critic_sheet(request, prompt, tags=Tags(SECRET), tokens=tokens, spare=3)


def call_ids(sheet: CriticSheet) -> Mapping[str, str]:
    """Memory id → id of the call."""
    return {memory_id: call_id for call_id, memory_id in sheet.memory_ids.items()}

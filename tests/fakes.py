"""Stand-ins for models in tests: some play back a script, some hang."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NoReturn, TypeVar

from secondhop import testing
from secondhop.models.embedder import Vectors
from secondhop.models.hashing import HashingEmbedder
from secondhop.models.llm import Usage
from secondhop.nodes.critics.port import Ballot, CriticRequest, FollowUp, Verdict
from secondhop.nodes.planning.port import Plan, PlannedFacet, PlanRequest
from secondhop.nodes.planning.question_kind import question_kind
from secondhop.ranking.votes import VoteName
from secondhop.stores.protocols import MemorySearch
from secondhop.stores.records import Memory, PassageHit, Vector

T = TypeVar("T")

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def fixed_clock() -> datetime:
    """Always the same moment."""
    return NOW


def on(month: int, day: int = 1) -> datetime:
    """The first moment of a day of 2026."""
    return datetime(2026, month, day, tzinfo=UTC)


def note(memory_id: str, text: str, *, title: str = "", day: int = 1) -> Memory:
    """A memory of one message, written on a day of January 2026."""
    created_at = datetime(2026, 1, day, tzinfo=UTC)
    return testing.note(memory_id, text, title=title, created_at=created_at)


def facet(name: str, *queries: str, hop: int = 2, weight: float = 1.0) -> PlannedFacet:
    """A planned facet with its queries."""
    return PlannedFacet(
        name=name, why=f"Needs {name}.", hop=hop, queries=queries or (name,), weight=weight
    )


def plan(*facets: PlannedFacet, tokens: int = 0) -> Plan:
    """A plan; with `tokens`, one that cost a model call."""
    return Plan(facets=facets, usage=paid(tokens))


def paid(tokens: int) -> Usage:
    """The usage of one model call with so many prompt tokens; no call for 0."""
    return Usage(calls=1, prompt_tokens=tokens) if tokens else Usage()


def votes(*follow_ups: FollowUp, content: bool = False, **named: Sequence[str]) -> Verdict:
    """A verdict: `votes(hot=["a"], cold=["b"])`."""
    return Verdict(
        ballots=tuple(
            Ballot(memory_id=memory_id, vote=as_vote_name(name), reason=f"scripted {name}")
            for name, ids in named.items()
            for memory_id in ids
        ),
        follow_ups=follow_ups,
        content=content,
    )


def as_vote_name(name: str) -> VoteName:
    """A keyword as the name of a vote."""
    match name:
        case "hot" | "warm" | "cold" | "wrong" | "spark":
            return name
        case _:
            raise ValueError(name)


class ScriptedPlanner:
    """Plays back plans, and raises the errors among them; fails if it is asked too often."""

    def __init__(
        self,
        *,
        decompose: Sequence[Plan | Exception] = (),
        expand: Sequence[Plan | Exception] = (),
    ) -> None:
        self._decompose, self._expand = list(decompose), list(expand)
        self.requests: list[PlanRequest] = []

    @property
    def planner_id(self) -> str:
        return "scripted"

    async def decompose(self, request: PlanRequest) -> Plan:
        self.requests.append(request)
        return played(self._decompose, "decompose")

    async def expand(self, request: PlanRequest) -> Plan:
        self.requests.append(request)
        return played(self._expand, "expand")

    async def warm(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Does nothing."""


class WrittenPlanner:
    """Looks up the plan of a question; for a question it does not know, it plans nothing."""

    def __init__(self, plans: Mapping[str, tuple[PlannedFacet, ...]], *, planner_id: str) -> None:
        """`plans`: {text of a question: its facets}."""
        self._plans, self._planner_id = plans, planner_id

    @property
    def planner_id(self) -> str:
        return self._planner_id

    async def decompose(self, request: PlanRequest) -> Plan:
        return Plan(facets=(), kind=question_kind(request.question))

    async def expand(self, request: PlanRequest) -> Plan:
        return Plan(facets=self._plans.get(request.question, ()))


class EchoPlanner(ScriptedPlanner):
    """Its plans add nothing to the question."""

    async def decompose(self, request: PlanRequest) -> Plan:
        return plan()

    async def expand(self, request: PlanRequest) -> Plan:
        return plan(facet("", request.question))


class ScriptedCritic:
    """Plays back verdicts, and raises the errors among them; fails if it is asked too often."""

    def __init__(self, *verdicts: Verdict | Exception) -> None:
        self._verdicts = list(verdicts)
        self.requests: list[CriticRequest] = []

    @property
    def critic_id(self) -> str:
        return "scripted"

    async def judge(self, request: CriticRequest) -> Verdict:
        self.requests.append(request)
        return played(self._verdicts, "judge")

    def read(self, round_number: int) -> list[str]:
        """Ids of the candidates that it was shown in a round."""
        return [view.memory_id for view in self.requests[round_number - 1].candidates]


def played(script: list[T | Exception], name: str) -> T:
    """The next line of a script; raises it if it is an error."""
    assert script, f"{name} was asked more often than its script is long"
    line = script.pop(0)
    if isinstance(line, Exception):
        raise line
    return line


class HangingPlanner(ScriptedPlanner):
    """Never answers."""

    async def decompose(self, request: PlanRequest) -> Plan:
        return await forever()

    async def expand(self, request: PlanRequest) -> Plan:
        return await forever()


class HangingCritic(ScriptedCritic):
    """Never answers."""

    async def judge(self, request: CriticRequest) -> Verdict:
        return await forever()


class HangingEmbedder(HashingEmbedder):
    """Embeds passages, but hangs on queries."""

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return await forever()


async def forever() -> NoReturn:
    """Wait forever."""
    await asyncio.Event().wait()
    raise AssertionError("unreachable")


class BrokenSearch:
    """Wraps a `MemorySearch`; one retriever, or the words of one query, raise an error instead."""

    def __init__(
        self,
        inner: MemorySearch,
        *,
        dense: Exception | None = None,
        lexical: Exception | None = None,
    ) -> None:
        self._inner, self._dense, self._lexical = inner, dense, lexical

    async def dense(self, queries: Vectors, *, k: int) -> list[list[PassageHit]]:
        if self._dense is not None:
            raise self._dense
        return await self._inner.dense(queries, k=k)

    async def lexical(
        self, queries: Sequence[str], *, k: int, memory_ids: Sequence[str] | None = None
    ) -> list[list[PassageHit]]:
        if self._lexical is not None:
            raise self._lexical
        return await self._inner.lexical(queries, k=k, memory_ids=memory_ids)

    async def vectors(self, passage_ids: Sequence[str]) -> dict[str, Vector]:
        return await self._inner.vectors(passage_ids)


class WordReranker:
    """Scores a passage by the share of the query's words in it; records every call, or fails."""

    def __init__(self, *, error: Exception | None = None) -> None:
        self.calls: list[tuple[str, list[str]]] = []
        self._error = error

    async def rerank(self, query: str, passages: Sequence[str]) -> list[float]:
        self.calls.append((query, list(passages)))
        if self._error is not None:
            raise self._error
        words = set(query.casefold().split())
        return [len(words & set(text.casefold().split())) / len(words) for text in passages]

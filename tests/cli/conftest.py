"""Made-up answers and traces with hostile text, and a command line without or with a model."""

from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cli.model_server import ModelServer, model_server
from tests.command_line import Cli, in_folder

from secondhop.graph.result import Evidence, NearMiss, RecalledMemory, RecallResult, Spent
from secondhop.graph.trace import (
    RecallTrace,
    TraceCandidate,
    TraceDrop,
    TraceFacet,
    TraceFacetScore,
    TraceHit,
    TraceQuery,
    TraceStep,
    TraceVote,
)

HOSTILE = "[red]Goals[/red] \x1b[31m\x07for the first year"
DAY = datetime(2025, 11, 1, tzinfo=UTC)


def memory(number: int) -> RecalledMemory:
    evidence = Evidence(
        passage_id=f"m-{number}:0",
        text="I cut the \x1b[2Jturnaround from 9 days to 2. [bold]Nurses[/bold] noticed. " * 5,
        score=0.8,
        facet="own plan",
        query="my goals",
    )
    return RecalledMemory(
        id=f"m-{number}",
        title=HOSTILE,
        source="note",
        created_at=DAY,
        score=0.9 - 0.1 * number,
        facets=["own plan", "career narrative"],
        hop=2,
        round=1,
        why="It holds the plan you wrote.",
        role="personal story",
        evidence=[evidence],
    )


@pytest.fixture
def result() -> RecallResult:
    near = NearMiss(**memory(4).model_dump(), cut_by="pick: is close in wording or meaning to m-1")
    return RecallResult(
        question="Help me prepare",
        entity="default",
        asked_at=DAY,
        memories=[memory(0), memory(1)],
        maybe=[near],
        degraded=["the planner timed out"],
        stop_reason="converged",
        rounds=2,
        effort="low",
        spent=Spent(rounds=2, queries=12, ms=2130, llm_calls=1, prompt_tokens=3412, cost_usd=0.004),
        trace_id="t-1",
    )


def scored(facet_id: str, *, rank: int, relevance: float) -> TraceFacetScore:
    return TraceFacetScore(
        facet_id=facet_id, rank=rank, fused=0.02, relevance=relevance, dense=0.7, lexical=0.2
    )


def candidate(memory_id: str, *, slot: int | None, home: str = "f0") -> TraceCandidate:
    dropped = TraceDrop(stage="pick", round=1, reason="repeats m-0")
    return TraceCandidate(
        memory_id=memory_id,
        title=HOSTILE,
        first_round=1,
        score=0.6,
        facet_scores=[scored(home, rank=1, relevance=0.6), scored("f2", rank=3, relevance=0.4)],
        votes=[TraceVote(vote="hot", by="offline", round=1, reason="serves it")],
        drops=[] if slot else [dropped],
        slot=slot,
    )


def query(query_id: str, facet_id: str, *, hit: str, error: str = "") -> TraceQuery:
    return TraceQuery(
        query_id=query_id,
        facet_id=facet_id,
        text=f"what {HOSTILE}",
        hop=1,
        round=1,
        origin="expand",
        dense=[TraceHit(memory_id=hit, rank=3, score=0.8)],
        lexical=[],
        error=error,
    )


@pytest.fixture
def trace() -> RecallTrace:
    facets = [
        TraceFacet(facet_id=f"f{n}", name=name, why="It helps.", hop=min(n + 1, 2), weight=1)
        for n, name in enumerate(("the question itself", "own plan", "nobody's home"))
    ]
    lost = [candidate(f"d-{n}", slot=None) for n in range(7)]
    return RecallTrace(
        trace_id="t-1",
        entity="default",
        question=f"Help {HOSTILE}",
        asked_at=DAY,
        k=6,
        settings={},
        embedder="e",
        planner="offline",
        critic="offline",
        facets=facets,
        queries=[query("q0", "f0", hit="m-0"), query("q1", "f1", hit="m-1", error="no answer")],
        candidates=[candidate("m-0", slot=1), candidate("m-1", slot=2, home="f1"), *lost],
        steps=[
            TraceStep(node=node, round=1, ms=ms)
            for node, ms in (("fuse", 20), ("retrieve", 10), ("retrieve", 30))
        ],
        returned=["m-0", "m-1"],
        stop_reason="converged",
        stop_detail="every facet is covered",
        degraded=["the planner timed out"],
        spent=Spent(ms=88),
    )


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_variables: None) -> Cli:
    """Runs a command in an empty folder with its own cache."""
    return in_folder(tmp_path, monkeypatch)


@pytest.fixture
def model() -> Generator[ModelServer, None, None]:
    """A model behind a real HTTP server."""
    with model_server() as running:
        yield running


@pytest.fixture
def model_cli(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    no_variables: None,
    library_of_tests: None,
    model: ModelServer,
) -> Cli:
    """Runs a command in an empty folder with caches, a key and a server, but no model named."""
    monkeypatch.setenv("OPENAI_BASE_URL", model.server.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    return in_folder(tmp_path, monkeypatch)


@pytest.fixture
def llm_cli(model_cli: Cli, monkeypatch: pytest.MonkeyPatch, model: ModelServer) -> Cli:
    """The same with the model named."""
    monkeypatch.setenv("SECONDHOP_LLM", model.spec)
    return model_cli

"""Examples of answers for the OpenAPI description; bodies.py has the examples of requests."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Final

from pydantic import BaseModel

from secondhop.graph.explanation import Explanation, ScorePart
from secondhop.graph.result import Evidence, RecalledMemory, RecallResult, Spent
from secondhop.graph.session_result import ResolvedSession, SessionAnswer, VotesOfRound
from secondhop.memories.records import Forgotten, Kept
from secondhop.server.bodies import Added, Ledger, Resolved
from secondhop.sessions.learner import Learned

ASKED = "Help me prepare for my interview"
AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLAN = RecalledMemory(
    id="plan",
    title="Plan for the role",
    source="note",
    created_at=datetime(2026, 2, 20, 9, tzinfo=UTC),
    score=0.72,
    facets=["the question itself"],
    hop=1,
    round=1,
    why="Stored for “prepare for a job interview”.",
    role="own plan",
    cue="prepare for a job interview",
    evidence=[
        Evidence(
            passage_id="plan#0",
            text="Cut onboarding from nine weeks to four.",
            score=0.72,
            facet="the question itself",
            query=ASKED,
        )
    ],
)
ANSWERS: Final[tuple[BaseModel, ...]] = (
    RecallResult(
        question=ASKED,
        entity="me",
        asked_at=AT,
        memories=[PLAN],
        stop_reason="complete",
        rounds=1,
        spent=Spent(rounds=1, queries=1, ms=38),
        trace_id="5f2c9a1e07bd",
    ),
    SessionAnswer(
        session_id="81c24a0d6f7c4b6e9d35b7a2e1c09f54",
        entity="me",
        question=ASKED,
        asked_at=AT,
        round=1,
        rounds_left=3,
        expires_at=datetime(2026, 3, 1, 12, 5, tzinfo=UTC),
        memories=[PLAN],
        kept=[],
        new=["plan"],
        converged=False,
        why="1 of 1 memories are new",
        spent=Spent(rounds=1, queries=1, ms=41),
        trace_id="5f2c9a1e07bd",
    ),
    Resolved(
        session=ResolvedSession(
            session_id="81c24a0d6f7c4b6e9d35b7a2e1c09f54",
            entity="me",
            question=ASKED,
            asked_at=AT,
            rounds=1,
            shown=["plan"],
            votes=[VotesOfRound(round=1, by="person", hot=["plan"])],
            accepted=["plan"],
            sparks=[],
        ),
        learned=asdict(Learned(updated=1, learned=True)),
        dry_run=False,
    ),
    Explanation(
        memory_id="garden",
        title="Garden",
        returned=False,
        story=["Round 1, pick: came in at place 7 for 6 slots."],
        parts=[ScorePart(name="similarity", meaning="its text", added=0.4)],
        cut_by="pick",
        nearest_change="--k 7 (it came in at place 7)",
    ),
    Kept(memory_id="plan-2", done="remembered", supersedes=["plan"]),
    Forgotten(memory_ids=["plan"], passages=1, traces=2, complete=True),
    Ledger(read=1, stored=1, unchanged=0, deleted=0, skipped=[], notices=[], passages=1),
    Added(
        read=1,
        stored=1,
        unchanged=0,
        deleted=0,
        skipped=[],
        notices=[],
        passages=1,
        memory_ids=["note-1"],
    ),
)


def examples_of_answers() -> dict[str, object]:
    """{name of a schema: an example as plain values}."""
    return {type(one).__name__: one.model_dump(mode="json") for one in ANSWERS}

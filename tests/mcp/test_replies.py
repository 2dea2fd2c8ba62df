"""What the tools of the MCP server return."""

from datetime import UTC, datetime
from typing import Any

from secondhop.graph.result import Evidence, RecalledMemory, Spent
from secondhop.graph.session_result import (
    ResolvedSession,
    SessionAnswer,
    SupersessionProposal,
)
from secondhop.mcp.replies import ResolveReply, SessionReply
from secondhop.sessions.learner import Resolution

DAY = datetime(2026, 1, 1, tzinfo=UTC)
PROPOSALS = [
    SupersessionProposal(memory_id="old", replaced_by="new", why="It is newer."),
    SupersessionProposal(memory_id="odd", replaced_by=None, why="No newer memory was found."),
]


def memory(memory_id: str, *texts: str, **more: Any) -> RecalledMemory:
    evidence = [
        Evidence(passage_id=f"{memory_id}:{n}", text=text, score=0.5, facet="f", query="q")
        for n, text in enumerate(texts)
    ]
    told: dict[str, Any] = {
        "id": memory_id,
        "title": memory_id,
        "source": "note",
        "created_at": DAY,
        "score": 0.5,
        "facets": ["f"],
        "hop": 1,
        "round": 1,
        "why": "It fits.",
        "evidence": evidence,
    }
    return RecalledMemory.model_validate(told | more)


def answer(**more: Any) -> SessionAnswer:
    told: dict[str, Any] = {
        "session_id": "id",
        "entity": "mara",
        "question": "?",
        "asked_at": DAY,
        "round": 2,
        "rounds_left": 1,
        "expires_at": DAY,
        "memories": [memory("a")],
        "kept": [],
        "new": [],
        "converged": False,
        "why": "",
        "spent": Spent(),
    }
    return SessionAnswer.model_validate(told | more)


def test_what_wrong_votes_propose_is_told_on_the_way_and_in_the_end() -> None:
    ended = ResolvedSession(
        session_id="id",
        entity="mara",
        question="?",
        asked_at=DAY,
        rounds=2,
        shown=["old", "new"],
        votes=[],
        accepted=["new"],
        sparks=[],
        proposals=PROPOSALS,
    )

    on_the_way = SessionReply.of(answer(proposals=PROPOSALS)).model_dump(by_alias=True)
    in_the_end = ResolveReply.of(Resolution(session=ended)).model_dump(by_alias=True)

    assert on_the_way["proposals"] == [
        {"memoryId": "old", "replacedBy": "new", "why": "It is newer."},
        {"memoryId": "odd", "replacedBy": "", "why": "No newer memory was found."},
    ]
    assert in_the_end["proposals"] == on_the_way["proposals"]

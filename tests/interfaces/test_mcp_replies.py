"""What the tools of the MCP server give back."""

from datetime import UTC, datetime

from secondhop.graph.result import Evidence, RecalledMemory, Spent
from secondhop.graph.session_result import SessionAnswer, SparkBranch
from secondhop.interfaces.mcp_replies import ScoredMemory, SessionReply

DAY = datetime(2026, 1, 1, tzinfo=UTC)


def memory(memory_id: str, *texts: str) -> RecalledMemory:
    evidence = [
        Evidence(passage_id=f"{memory_id}:{n}", text=text, score=0.5, facet="f", query="q")
        for n, text in enumerate(texts)
    ]
    return RecalledMemory(
        id=memory_id,
        title=memory_id,
        source="note",
        created_at=DAY,
        score=0.5,
        facets=["f"],
        hop=1,
        round=1,
        why="It fits.",
        evidence=evidence,
    )


def test_a_memory_is_told_with_all_of_its_evidence() -> None:
    assert ScoredMemory.of(memory("a", "one", "two")).text == "one\n\ntwo"


def test_branches_are_apart_and_name_the_memory_that_sparked_them() -> None:
    branch = SparkBranch(sparked_by="s", title="s", memories=[memory("b"), memory("c")])
    answer = SessionAnswer(
        session_id="id",
        entity="mara",
        question="?",
        asked_at=DAY,
        round=2,
        rounds_left=1,
        expires_at=DAY,
        memories=[memory("a")],
        kept=[],
        new=[],
        branches=[branch],
        converged=False,
        why="",
        spent=Spent(),
    )

    reply = SessionReply.of(answer)

    assert [one.id for one in reply.memories] == ["a"]
    assert [(one.id, one.sparked_by) for one in reply.spark_branches] == [("b", "s"), ("c", "s")]
    assert "sparkBranches" in reply.model_dump(by_alias=True)

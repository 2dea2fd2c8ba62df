"""The second query for a question, in the words of its best evidence."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.small_world import QUESTION, ask, small_world

from secondhop.nodes.budget import Remaining
from secondhop.nodes.critics.coverage import CoverageCritic
from secondhop.nodes.critics.port import CandidateView, CriticRequest
from secondhop.nodes.planning.feedback_terms import feedback_query
from secondhop.nodes.settings import RankingSettings
from secondhop.nodes.state import DIRECT


def view(memory_id: str, text: str, *, direct: float) -> CandidateView:
    return CandidateView(
        memory_id=memory_id,
        title="",
        source="note",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        score=max(direct, 0.5),
        relevance={DIRECT: direct},
        evidence=(text,),
    )


def request(*candidates: CandidateView) -> CriticRequest:
    return CriticRequest(
        question="What ails the tomatoes?",
        kind="conceptual",
        asked_at=datetime(2026, 3, 1, tzinfo=UTC),
        facets=[],
        candidates=candidates,
        coverage={},
        replaced_by={},
        asked=[],
        round=1,
        remaining=Remaining(rounds=3, llm_calls=0, llm_tokens=0, seconds=1.0),
    )


def test_the_telling_words_of_near_evidence_join_the_question() -> None:
    asked = request(
        view("a", "tomatoes with blight blight", direct=0.8),
        view("b", "tomatoes blight and copper", direct=0.7),
        view("c", "tomatoes for sale", direct=0.1),
        view("d", "the car brakes", direct=0.0),
    )

    found = feedback_query(asked, terms=2, min_score=0.35)

    assert found is not None
    assert found.text == "What ails the tomatoes? blight copper"
    assert found.facet_id == DIRECT


def test_far_evidence_says_nothing_of_the_question() -> None:
    asked = request(view("a", "tomatoes with blight", direct=0.34))

    assert feedback_query(asked, terms=5, min_score=0.35) is None


def test_evidence_that_only_repeats_the_question_adds_nothing() -> None:
    asked = request(view("a", "what ails the tomatoes", direct=0.9))

    assert feedback_query(asked, terms=5, min_score=0.35) is None


@pytest.mark.parametrize(("terms", "asks_again"), [(0, False), (6, True)])
async def test_a_recall_asks_again_only_when_it_is_told_to(
    tmp_path: Path, terms: int, asks_again: bool
) -> None:
    world = await small_world(tmp_path)
    critic = CoverageCritic(feedback_terms=terms, leads=0)

    answer = await ask(world.services(critic=critic, offline_critic=critic))

    second = [q for q in answer.trace.queries if q.origin == "feedback" and q.round == 2]
    assert bool(second) == asks_again
    assert all(q.text.startswith(QUESTION) and len(q.text) > len(QUESTION) for q in second)
    await world.store.aclose()


def test_a_negative_number_of_words_is_refused() -> None:
    with pytest.raises(ValueError, match="prf"):
        RankingSettings(prf=-1)

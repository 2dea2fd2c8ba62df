"""The reason of a memory: for the question itself it fits the score; or it names a vote."""

from typing import Any, cast

import pytest
from tests.nodes.cast_votes import vote

from secondhop.nodes.reasons import LEADS, why_not_near, why_of_question
from secondhop.nodes.state import Candidate, FacetScore, RecallState


def scored(relevance: float, text: float) -> FacetScore:
    return {
        "rank": 1,
        "fused": 0.01,
        "relevance": relevance,
        "text": text,
        "dense": 0.3,
        "lexical": 0.1,
        "passage_ids": ("a:0",),
        "query_ids": ("q0",),
        "passage_scores": (relevance,),
    }


@pytest.mark.parametrize(
    ("relevance", "text", "said"),
    [
        (0.62, 0.4, "Near the question itself."),
        (0.2, 0.4, "Among the nearest to the question"),
        (0.06, 0.55, "Its words are near the question's, but"),
        (0.02, 0.05, "It fills a free place: little of it is about the question."),
    ],
)
def test_a_weak_score_is_not_called_an_answer(relevance: float, text: float, said: str) -> None:
    assert why_of_question(scored(relevance, text)).startswith(said)


@pytest.mark.parametrize("relevance", [0.2, 0.02])
@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"votes": {"a|1": vote("a", "hot", by="critic")}}, "Chosen by the critic."),
        (
            {
                "rankings": {
                    "q0": {"dense": {"memory_ids": ["a", "b"]}, "lexical": {"memory_ids": ["a"]}}
                }
            },
            LEADS,
        ),
    ],
)
def test_what_was_voted_for_or_leads_both_searches_is_not_called_weak(
    relevance: float, state: Any, said: str
) -> None:
    candidate = cast(Candidate, {"memory_id": "a"})

    told = why_not_near(candidate, scored(relevance, 0.0), cast(RecallState, state))

    assert told.startswith(said)

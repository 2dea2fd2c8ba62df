"""The sentence on a memory that is there for the question itself fits its score."""

import pytest

from secondhop.nodes.reasons import why_of_question
from secondhop.nodes.state import FacetScore


@pytest.mark.parametrize(
    ("relevance", "text", "said"),
    [
        (0.62, 0.4, "Near the question itself (score 0.62)."),
        (0.06, 0.55, "Its words are near the question's (0.55)"),
        (0.02, 0.05, "Little in it speaks of the question (score 0.02)."),
    ],
)
def test_a_weak_score_is_not_called_an_answer(relevance: float, text: float, said: str) -> None:
    score: FacetScore = {
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

    told = why_of_question(score)

    assert told.startswith(said)
    assert f"{relevance:.2f}" in told

"""Votes as JSON in many shapes."""

import pytest
from pydantic import ValidationError

from secondhop.nodes.critics.vote_schema import CritiqueReply


def votes(value: object) -> list[tuple[str, str, list[str]]]:
    reply = CritiqueReply.model_validate(value)
    return [(vote.id, vote.vote, vote.facets) for vote in reply.votes]


COLD = {"id": "ab2", "vote": "cold"}
WANTED: list[tuple[str, str, list[str]]] = [("ab1", "hot", ["e1", "e2"]), ("ab2", "cold", [])]


@pytest.mark.parametrize(
    "value",
    [
        {
            "votes": [
                {"id": "ab1", "vote": "hot", "facets": ["e1", "e2"]},
                {"id": "ab2", "vote": "cold"},
            ]
        },
        {
            "votes": [
                {"id": "ab1", "vote": "HOT.", "facets": "e1, e2"},
                {"id": "ab2", "vote": "cold"},
            ]
        },
        {"votes": {"ab1": {"vote": "hot", "facets": "e1 e2"}, "ab2": "cold"}},
        [{"id": "ab1", "vote": "hot", "facets": ["e1", "e2"]}, COLD],
        {
            "votes": [
                {"id": "ab1", "vote": "**hot**", "facets": ["e1", "e2"]},
                COLD,
                "more",
                {"id": 3},
            ]
        },
    ],
)
def test_votes_are_read_from_json_of_any_shape(value: object) -> None:
    assert votes(value) == WANTED


@pytest.mark.parametrize(
    "value",
    [{}, {"votes": []}, {"votes": [{"id": "ab1", "vote": "great"}]}, "I like all.", [], None],
)
def test_no_vote_at_all_is_no_answer(value: object) -> None:
    with pytest.raises(ValidationError):
        CritiqueReply.model_validate(value)

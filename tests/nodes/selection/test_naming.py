"""Which memory a question names, by what searches found for it."""

import pytest

from secondhop.nodes.selection.naming import named_memory
from secondhop.nodes.state import Hits, Ranking

SHORT = "Tell me about the Asmus wedding"
LONG = "Help me decide about an offer for the old shredder, the trailer and the saw on Saturday"


def ranking(**found: tuple[float, float]) -> Ranking:
    """{memory id: (lexical score, cosine)}"""

    def hits(scores: dict[str, float]) -> Hits:
        return {
            "passage_ids": [f"{one}:0" for one in scores],
            "memory_ids": list(scores),
            "scores": list(scores.values()),
        }

    return Ranking(
        query_id="q0",
        lexical=hits({one: lexical for one, (lexical, _) in found.items() if lexical}),
        dense=hits({one: dense for one, (_, dense) in found.items()}),
        cosines={},
        error="",
        hidden={},
    )


@pytest.mark.parametrize(
    ("question", "found", "named"),
    [
        (SHORT, {"wedding": (0.5, 0.7), "party": (0.45, 0.6)}, "wedding"),
        (SHORT, {"wedding": (0.5, 0.6), "party": (0.3, 0.7)}, "wedding"),
        (SHORT, {"wedding": (0.5, 0.6), "party": (0.45, 0.7)}, ""),
        (SHORT, {"wedding": (0.5, 0.6)}, "wedding"),
        (SHORT, {"party": (0.5, 0.6), "wedding": (0.5, 0.7)}, "wedding"),
        ("Help me plan and prepare", {"projector": (0.5, 0.7)}, ""),
        ("Help me prepare for Thursday", {"bins": (0.5, 0.7)}, ""),
        (SHORT, {"wedding": (0.0, 0.9)}, ""),
        (SHORT, {}, ""),
        (LONG, {"shredder": (0.7, 0.8), "saw": (0.2, 0.5)}, "shredder"),
        (LONG, {"shredder": (0.5, 0.8), "saw": (0.1, 0.5)}, ""),
        (LONG, {"shredder": (0.7, 0.6), "saw": (0.2, 0.7)}, ""),
    ],
)
def test_what_has_the_words_of_a_question_is_named(
    question: str, found: dict[str, tuple[float, float]], named: str
) -> None:
    assert named_memory(ranking(**found), question) == named


def test_a_memory_that_is_outdated_is_not_meant() -> None:
    found = ranking(old=(0.6, 0.8), new=(0.5, 0.7))
    assert named_memory(found, SHORT, leaving_out={"old"}) == "new"

"""What the kind of a question changes: the weight of words, and that of age."""

from dataclasses import replace
from functools import lru_cache

from secondhop.nodes.config import RankingSettings, Recency
from secondhop.nodes.planning.question_kind import LOOKUPS, about_now, asks_how_it_stands
from secondhop.nodes.state import QuestionKind

LOOKUP_SHIFT = 0.1
"""Weight that goes from dense to lexical search when a fact or a date is looked up: names and
identifiers matter more there."""


def ranking_for(kind: QuestionKind, question: str, ranking: RankingSettings) -> RankingSettings:
    """The settings as this question wants them.

    A look-up leans on words. recency="auto" becomes "always" or "never": age counts for questions
    about the present, and for those about a time that is still to come or holds until today.
    """
    shift = min(LOOKUP_SHIFT, ranking.dense_weight) if kind in LOOKUPS else 0.0
    recency = ranking.recency
    if recency == "auto":
        recency = "always" if age_counts(kind, question) else "never"
    return _shifted(ranking, shift, recency)


@lru_cache(maxsize=64)  # checking settings takes longer than looking them up
def _shifted(ranking: RankingSettings, shift: float, recency: Recency) -> RankingSettings:
    return replace(
        ranking,
        dense_weight=ranking.dense_weight - shift,
        lexical_weight=ranking.lexical_weight + shift,
        recency=recency,
    )


def age_counts(kind: QuestionKind, question: str) -> bool:
    """Whether of two memories that fit the newer one is likelier to be right.

    >>> age_counts("temporal", "When is the next inspection?")
    True
    >>> age_counts("temporal", "When did we go to Rome?")
    False
    >>> age_counts("factual", "What is my current rate?")
    True
    """
    return about_now(question) or (kind == "temporal" and asks_how_it_stands(question))

"""Puts the newer passage first when two state the same thing at different times.

Asked how something stands today, search prefers the plainest statement of it, and that is often
the first one: "my deadline is 20 April", while "the new deadline, the 25th" is said in passing,
weeks later. Both belong into the context; a reader from the top should read the newer one
first.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from secondhop.nodes.evidence.rank import PassageScores, best_first
from secondhop.nodes.evidence.speaker_match import PERSON, speaker_shares
from secondhop.nodes.evidence.turns import place_of
from secondhop.nodes.planning.question_kind import asks_about_today
from secondhop.nodes.state import RecallState
from secondhop.stores.catalog.analysis import document_terms, query_terms
from secondhop.stores.records import Passage

BEST = 60
"""Best passages among which statements are looked for."""

LATER = 2
"""Later statements that come before the best one."""

NEAR = 0.4
"""Share of the best statement's score that a later one has at least."""

COMMON_WORDS = 2
"""Of the question, that both statements hold at least."""

SHARED = 0.25
"""Share of the question's words in the best statement that a later one holds at least."""

AHEAD = 1e-4
"""By how much a later statement's score lies above the one that it comes before."""

_VALUE = re.compile(r"\d|(?<=[a-z,] )[A-Z][a-z]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A passage that may say how things stand."""

    passage_id: str
    score: float
    memory_id: str
    written: str
    """When the memory was, ISO 8601."""
    place: float
    """In the memory."""
    words: frozenset[str]
    """Of the question, that it holds."""


def with_later_first(
    scores: Mapping[str, float], passages: Mapping[str, Passage], state: RecallState
) -> PassageScores:
    """The scores, where later statements of the same lie above the best one; else as they were.

    A statement is a passage of the person's own words (of anybody's, where no assistant talks)
    that holds a number or a name. A later one is of the same thing when it holds enough of the
    question's words that the best one holds.

    Args:
        passages: of all scores.
    """
    if not asks_about_today(state["kind"], state["question"]):
        return dict(scores)
    found = statements(scores, passages, state)
    if not found:
        return dict(scores)
    best, *others = found
    later = [one for one in others if says_it_later(one, best)][:LATER]
    later.sort(key=lambda one: (one.written, one.place))
    ahead = {
        one.passage_id: max(one.score, best.score * (1 + AHEAD * place))
        for place, one in enumerate(later, start=1)
    }
    return {**scores, **ahead}


def statements(
    scores: Mapping[str, float], passages: Mapping[str, Passage], state: RecallState
) -> list[Statement]:
    """Among the best passages, best first."""
    ranked = best_first(scores)[:BEST]
    own = [p for p in ranked if speaker_shares(passages[p].text).get(PERSON, 0.0) > 0.5] or ranked
    wanted = frozenset(query_terms(state["question"]).words)
    found: list[Statement] = []
    for passage_id in own:
        passage = passages[passage_id]
        if _VALUE.search(passage.text):
            words = frozenset(document_terms(passage.text))
            found.append(
                Statement(
                    passage_id=passage_id,
                    score=scores[passage_id],
                    memory_id=passage.memory_id,
                    written=state["candidates"][passage.memory_id]["created_at"],
                    place=place_of(passage),
                    words=words & wanted,
                )
            )
    return found


def says_it_later(later: Statement, best: Statement) -> bool:
    """Whether one was said later, and of the same thing."""
    common = later.words & best.words
    return (
        said_later(later, best)
        and later.score >= NEAR * best.score
        and len(common) >= max(COMMON_WORDS, SHARED * len(best.words))
    )


def said_later(one: Statement, other: Statement) -> bool:
    """By the time of the memory; within one memory, by its place."""
    if one.memory_id == other.memory_id:
        return one.place > other.place
    return one.written > other.written

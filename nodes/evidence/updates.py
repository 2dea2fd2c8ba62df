"""Puts the newer passage first if two passages state the same thing at different times.

If a question asks how things are today, search prefers the plainest statement, which is often the
first one: "my deadline is 20 April". The update, "the new deadline, the 25th", is said in passing,
weeks later. Both belong in the context, but the newer one should be read first.
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
"""Best passages that are searched for statements."""

LATER = 2
"""Most later statements that move ahead of the best one."""

NEAR = 0.4
"""A later statement needs at least this share of the best statement's score."""

COMMON_WORDS = 2
"""Both statements must have at least this many words of the question in common."""

SHARED = 0.25
"""A later statement needs this share of the question's words that the best statement holds."""

AHEAD = 1e-4
"""Step, as a share of the score, by which a later statement is placed above the best one."""

_VALUE = re.compile(r"\d|(?<=[a-z,] )[A-Z][a-z]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A passage that may say how things are."""

    passage_id: str
    score: float
    memory_id: str
    written: str
    """When its memory was written, ISO 8601."""
    place: float
    """Its place in the memory."""
    spoken: bool
    """Whether the memory is a talk, where what comes later was said later."""
    words: frozenset[str]
    """The words of the question that it holds."""


def with_later_first(
    scores: Mapping[str, float], passages: Mapping[str, Passage], state: RecallState
) -> PassageScores:
    """The scores, with later statements about the same thing raised above the best one.

    Nothing changes unless the question asks about today. A statement is a passage with a number or
    a name, mostly in the person's own words (in anybody's, if no passage is). A later one is about
    the same thing if it holds enough of the question's words that the best one holds.
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
    """The statements among the best passages, best first."""
    ranked = best_first(scores)[:BEST]
    own = [p for p in ranked if speaker_shares(passages[p].text).get(PERSON, 0.0) > 0.5] or ranked
    wanted = frozenset(query_terms(state["question"]).words)
    is_persons = own is not ranked
    found: list[Statement] = []
    for passage_id in own:
        passage = passages[passage_id]
        if _VALUE.search(passage.text):
            words = frozenset(document_terms(passage.text))
            candidate = state["candidates"][passage.memory_id]
            found.append(
                Statement(
                    passage_id=passage_id,
                    score=scores[passage_id],
                    memory_id=passage.memory_id,
                    written=candidate["created_at"],
                    place=place_of(passage),
                    spoken=is_persons or candidate["source"] == "conversation",
                    words=words & wanted,
                )
            )
    return found


def says_it_later(later: Statement, best: Statement) -> bool:
    """Whether `later` was said after `best`, and about the same thing."""
    common = later.words & best.words
    is_later = later.written > best.written
    if later.memory_id == best.memory_id:
        is_later = best.spoken and later.place > best.place
    return (
        is_later
        and later.score >= NEAR * best.score
        and len(common) >= max(COMMON_WORDS, SHARED * len(best.words))
    )

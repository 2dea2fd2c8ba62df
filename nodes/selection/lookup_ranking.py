"""Look-ups that one memory answers outright: the likeliest answers, in order, get the slots.

Where the answer is a fact that the question names, what is merely like it gets none.

Measured on 200 questions of public conversations with one answer each, and on labelled memories:
docs/ranking.md.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from secondhop.nodes.planning.fact_lookup import ORIGIN as FACT
from secondhop.nodes.planning.fact_lookup import OWN_FACET, STANDING
from secondhop.nodes.planning.kind_settings import age_counts
from secondhop.nodes.planning.question_kind import LOOKUPS, without_opening
from secondhop.nodes.selection.eligibility import SERVES_AS_WELL
from secondhop.nodes.selection.pool import Pool
from secondhop.nodes.selection.select import repetition_among
from secondhop.nodes.settings import RankingSettings
from secondhop.nodes.state import DIRECT, RecallState
from secondhop.ranking.arrays import Floats
from secondhop.stores.catalog.analysis import document_terms, query_terms

NEARLY = 0.97
"""Share of the best fused score: a place or two apart in both legs (k = 60)."""

LITTLE = 0.5
"""Mean weight of the facets as a share of the question's own, up to which they are left little."""

COPIES = 0.8
"""Share of a memory's evidence that those ahead of it already say, above which it comes last.
Higher than where facets share the slots: sessions of one conversation all sound alike."""

_NOW: Final = re.compile(r"\bnow\b", re.I)
_PAST: Final = re.compile(
    r"^\W*(for how long|who|whose|what|which|where|when|why|how)\b[^.?!]*"
    r"\b(did|was|were|had)\b(?! (i|we)\b)[^.?!]*\?\s*$",
    re.I,
)
_FOR_ONESELF: Final = re.compile(r"\b(should|shall|can|could|i|we)\b", re.I)
_ASKING: Final = re.compile(r"\b(who|whose|what|which|where|when|why|how)\b", re.I)
_NAMED: Final = re.compile(r"\b(?:does|do|has|have|is|are)\s+(?!I\b)[A-Z]\w+")
_SENTENCE: Final = re.compile(r"(?<=[.?!])\s")
_NEEDED: Final = re.compile(r"\b(my|me|our|us|your?|needs?|ha(ve|s) to)\b", re.I)
_EVENT: Final = re.compile(
    r"\bdid\b|^\W*(for how long|when|why|how)\b[^.?!]*\b(was|were|had)\b", re.I
)


def asks_outright(state: RecallState, settings: RankingSettings) -> bool:
    """Whether one memory may answer it, and age does not tell which; for our own diversity."""
    question, kind = state["question"], state["kind"]
    timeless = not (age_counts(kind, question) or _NOW.search(question))
    wanted = settings.answer_first and settings.diversity == "facets"
    return wanted and timeless and (kind in LOOKUPS or asks_about_others(question))


def asks_about_others(question: str) -> bool:
    """Whether it asks what happened to others, or about one who is named; nothing for oneself.

    >>> asks_about_others("Why does Ann like turtles?")
    True
    >>> asks_about_others("Why does Ann dislike my soup?"), asks_about_others("Why do cats purr?")
    (False, False)
    """
    if asks_what_happened(question):
        return True
    last = _SENTENCE.split(question.strip())[-1]
    named = last.endswith("?") and _ASKING.search(last) and _NAMED.search(last)
    return bool(named) and not (_NEEDED.search(question) or _FOR_ONESELF.search(question))


def asks_what_happened(question: str) -> bool:
    """Whether it asks for something past that others did or met with, and nothing for oneself.

    >>> asks_what_happened("How did Ann get into rowing?")
    True
    >>> asks_what_happened("How did we set up the backups?")
    False
    >>> asks_what_happened("The boiler was serviced. Why is it so loud?")
    False
    """
    return bool(_PAST.search(without_opening(question))) and not _FOR_ONESELF.search(question)


def asks_for_an_event(question: str) -> bool:
    """Whether it asks what others did or met with once, and not how something stood.

    >>> asks_for_an_event("When did Ann join the choir?")
    True
    >>> asks_for_an_event("What was the code of the door?")
    False
    """
    return asks_what_happened(question) and bool(_EVENT.search(without_opening(question)))


def leaves_facets_little(state: RecallState) -> bool:
    """Whether the slots are for the likeliest answers alone, and not for the facets of the plan.

    So for questions about others, and where whoever planned gave the facets little weight beside
    the question itself, as the playbooks do for look-ups.
    """
    weights = [one["weight"] for facet_id, one in state["facets"].items() if facet_id != DIRECT]
    own = state["facets"][DIRECT]["weight"] if DIRECT in state["facets"] else 0.0
    little = sum(weights) <= LITTLE * own * len(weights)
    return little or asks_about_others(state["question"])


def beside_the_answer(pool: Pool, relevance: Floats, state: RecallState) -> frozenset[str]:
    """Near misses of a look-up whose answer is a fact that the question names, and nothing else.

    What holds no word of the question, and none of the fact, is there by likeness alone; beside
    the very value that was asked for, that is not enough.

    Args:
        relevance: [n_candidates, n_facets], as votes leave it.
    """
    best = dict(zip(pool.ids, relevance.max(axis=1, initial=0.0).tolist(), strict=True))
    queries = state.get("queries", {}).values()
    named = {
        memory_id
        for query in queries
        if query["origin"] == FACT
        and query["facet_id"].startswith(OWN_FACET)
        and asks_for_nothing_else(state["question"], query["text"])
        for memory_id in query.get("memory_ids", [])
        if best.get(memory_id, 0.0) > 0
    }
    if state["kind"] not in LOOKUPS or not named:
        return frozenset()
    said = frozenset[str]().union(*(words_of(text) for one in named for text in pool.texts[one]))
    return frozenset(
        memory_id
        for memory_id in pool.ids
        if best[memory_id] > 0
        and memory_id not in named
        and not speaks_of_it(memory_id, pool, said)
    )


def asks_for_nothing_else(question: str, fact: str) -> bool:
    """Whether the name of a fact holds every word of a question that says something.

    >>> asks_for_nothing_else("Who is my employer?", "The employer of me")
    True
    >>> asks_for_nothing_else("What notice must my employer give?", "The employer of me")
    False
    """
    return words_of(question) - words_of(" ".join(sorted(STANDING))) <= words_of(fact)


def words_of(text: str) -> frozenset[str]:
    """Its search terms."""
    return frozenset(query_terms(text).words)


def speaks_of_it(memory_id: str, pool: Pool, said: frozenset[str]) -> bool:
    """Whether a memory holds a word of the question, or its evidence one that was said."""
    direct = pool.candidates[memory_id]["scores"].get(DIRECT)
    if direct is not None and direct["lexical"] > 0:
        return True
    return any(not said.isdisjoint(document_terms(text)) for text in pool.texts[memory_id])


def answering_for_themselves(pool: Pool, question: str) -> Pool:
    """The pool without suspicions against what answers the question better than its successor.

    A newer note about the same thing replaces an older one where it says what was asked for. Where
    it answers the question itself far less well, it is another note. What happened once has no
    versions: there the newer one must answer at least as well, as who tells it afresh does.
    """
    if DIRECT not in pool.facet_ids:
        return pool
    own = pool.relevance[:, list(pool.facet_ids).index(DIRECT)]
    answers = dict(zip(pool.ids, own.tolist(), strict=True))
    share = 1.0 if asks_for_an_event(question) else SERVES_AS_WELL
    replaced_by = {
        old: new
        for old, new in pool.replaced_by.items()
        if answers.get(new, 0.0) >= share * answers.get(old, 0.0)
    }
    return replace(pool, replaced_by=replaced_by)


def likeliest_answers(
    pool: Pool, relevance: Floats, factors: Floats, *, settings: RankingSettings
) -> Sequence[str]:
    """What the question itself finds, the likeliest answer first; [] unless that is one.

    Both legs together (reciprocal rank fusion) give the order, and the factors of votes and of the
    memory itself. A suspicion keeps none away: what something newer seems to replace comes last,
    and copies behind it.

    Args:
        relevance: [n_candidates, n_facets], as votes, suspicions and factors leave it.
        factors: [n_candidates, n_facets], without suspicions.
    """
    if DIRECT not in pool.facet_ids:
        return []
    column = list(pool.facet_ids).index(DIRECT)
    answers = pool.relevance[:, column]
    if (answers * factors[:, column]).max(initial=0.0) < settings.min_score:
        return []
    found = {
        pool.ids[row]: pool.candidates[pool.ids[row]]["scores"][DIRECT]["fused"]
        * float(factors[row, column])
        for row in np.flatnonzero((answers > 0) & (relevance.max(axis=1, initial=0.0) > 0)).tolist()
    }
    order = sorted(found, key=lambda one: -found[one])
    first = likeliest_answer(pool, relevance, min_score=settings.min_score)
    order = replaced_last([*first, *(one for one in order if one not in first)], pool)
    return copies_last(order, pool, settings=settings)


def replaced_last(order: Sequence[str], pool: Pool) -> list[str]:
    """The same with those last that something else in it seems to replace."""
    there = set(order)
    behind = [one for one in order if pool.replaced_by.get(one) in there]
    return [*(one for one in order if one not in behind), *behind]


def copies_last(order: Sequence[str], pool: Pool, *, settings: RankingSettings) -> list[str]:
    """The same with those last that say hardly anything but what others ahead of them say."""
    places = {memory_id: place for place, memory_id in enumerate(pool.ids)}
    coverage = repetition_among(pool, [places[one] for one in order], settings=settings)
    said = np.zeros(len(coverage.owner))
    ahead: list[str] = []
    behind: list[str] = []
    for place, memory_id in enumerate(order):
        if coverage.of_candidates(said)[place] > COPIES:
            behind.append(memory_id)
        else:
            ahead.append(memory_id)
            said = np.maximum(said, coverage.units[:, place])
    return [*ahead, *behind]


def likeliest_answer(pool: Pool, relevance: Floats, *, min_score: float) -> Sequence[str]:
    """What both legs together find first for the question itself; [] unless that is an answer.

    Reciprocal rank fusion finds one answer better than either leg, or than calibrated relevance
    does. Of those that are found nearly as well, the one that votes and the memory itself speak
    for. None is an answer below `min_score`, or while a newer memory seems to replace it.

    Args:
        relevance: [n_candidates, n_facets], as votes and factors leave it.
    """
    if DIRECT not in pool.facet_ids:
        return []
    column = list(pool.facet_ids).index(DIRECT)
    found: dict[str, tuple[float, float]] = {}
    for memory_id, before, left in zip(
        pool.ids, pool.relevance[:, column], relevance[:, column], strict=True
    ):
        if before > 0 and left >= min_score:
            fused = pool.candidates[memory_id]["scores"][DIRECT]["fused"]
            found[memory_id] = (round(float(left / before), 4), fused)
    best = max((fused for _, fused in found.values()), default=0.0)
    near = [one for one, (_, fused) in found.items() if fused >= NEARLY * best]
    first = max(near, key=lambda one: found[one], default=None)
    return [first] if first is not None and first not in pool.replaced_by else []

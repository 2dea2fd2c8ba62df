"""Fills a token budget with the passages most likely to hold the evidence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import NamedTuple

import numpy as np

from secondhop.nodes.config import RankingSettings
from secondhop.nodes.effort import embeds_once, is_unplanned
from secondhop.nodes.evidence.links import with_links
from secondhop.nodes.evidence.neighbours import with_neighbours
from secondhop.nodes.evidence.rank import (
    PassageScores,
    best_first,
    date_factors,
    passage_scores,
)
from secondhop.nodes.evidence.speaker_match import voice_factors
from secondhop.nodes.evidence.turns import whole_id, with_turns
from secondhop.nodes.evidence.updates import with_later_first
from secondhop.nodes.planning.question_kind import SHARES
from secondhop.nodes.retrieval.similarity import cosines_of, scores_of
from secondhop.nodes.selection.relevance import answerable, critics_order, exposure, last_votes
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallState
from secondhop.ranking.calibration import calibrated_relevance
from secondhop.ranking.shingles import shingle_overlap
from secondhop.stores.records import Passage

LOADED = 300
"""Passages looked up at least; more for a budget that holds more."""

TOKENS_A_PASSAGE = 10
"""Passages are rarely shorter: bounds what a budget can hold."""

LEAST_SHARE = 0.3
"""Share of the best passage's score below which a passage is clearly about something else: room
that is left over stays empty. On LoCoMo, MuSiQue and LifeBench (50 questions each; 500 to 2,000
tokens) it costs no evidence."""

REPEATS_AT = 0.8
"""Share of a passage's word shingles that one taken before has, from which on it adds nothing."""


class LeftOut(NamedTuple):
    """A memory of which nothing was filled in."""

    share: float
    """Score of its best passage, as a share of the best of all."""
    tokens: int
    """Of its shortest passage."""
    budget: int | None
    """The smallest budget that holds its best passage; None: too weak for any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A token budget, filled."""

    passages: list[Passage] = field(default_factory=list[Passage])
    """Best first; they fit into the budget together."""
    left_out: Mapping[str, LeftOut] = field(default_factory=dict[str, LeftOut])
    """Memories with nothing among `passages`, best first."""


async def filled_evidence(state: RecallState, *, tokens: int, services: Services) -> Filled:
    """Passages, best first, that fit into `tokens` together.

    Nothing when the recall has no answer. Ordered by their own relevance to question and facets,
    whatever their memories; what repeats an earlier one comes last, and what is clearly about
    something else stays out.
    """
    if not is_answerable(state, min_score=services.settings.ranking.min_score):
        return Filled()
    scores = passage_scores(state)
    loaded = best_first(scores)[: max(LOADED, tokens // TOKENS_A_PASSAGE)]
    passages = await services.reader.passages(loaded)
    scores = in_context({p: scores[p] for p in loaded if p in passages}, passages, state)
    if is_unplanned(state):
        scores = await with_links(scores, passages, state, services=services)
    told, pieces = with_turns(scores, passages, state["question"])
    told = yielding(told, pieces, state, settings=services.settings.ranking)
    if not date_factors(state):  # a time that the question names comes before the latest
        told = with_later_first(told, pieces, state)
    order = best_first(told)
    relevant = [pieces[p] for p in order if told[p] >= LEAST_SHARE * told[order[0]]]
    filled = fill(relevant, tokens=tokens)
    left = left_out([pieces[p] for p in order], told, relevant=relevant, filled=filled)
    return Filled(passages=filled, left_out=left)


def yielding(
    scores: PassageScores,
    pieces: Mapping[str, Passage],
    state: RecallState,
    *,
    settings: RankingSettings,
) -> PassageScores:
    """The scores; what was shown lately for other questions yields, where that is asked for."""
    candidates = list(state["candidates"].values())
    column: list[float] = exposure(candidates, state, settings).tolist()
    factors = {one["memory_id"]: factor for one, factor in zip(candidates, column, strict=True)}
    return {
        passage_id: score * factors.get(pieces[passage_id].memory_id, 1.0)
        for passage_id, score in scores.items()
    }


def left_out(
    ranked: Sequence[Passage],
    scores: Mapping[str, float],
    *,
    relevant: Sequence[Passage],
    filled: Sequence[Passage],
) -> dict[str, LeftOut]:
    """The memories of which nothing was taken, best first."""
    taken = {passage.memory_id for passage in filled}
    if all(passage.memory_id in taken for passage in ranked):
        return {}
    budgets = budgets_for(relevant)
    best = scores[ranked[0].passage_id] or 1.0
    left: dict[str, LeftOut] = {}
    for passage in ranked:
        memory_id = passage.memory_id
        if memory_id in taken:
            continue
        known = left.get(memory_id)
        if known is None:
            share = scores[passage.passage_id] / best
            left[memory_id] = LeftOut(share, passage.tokens, budgets.get(memory_id))
        else:
            left[memory_id] = known._replace(tokens=min(known.tokens, passage.tokens))
    return left


def budgets_for(relevant: Sequence[Passage]) -> dict[str, int]:
    """{memory id: the smallest budget into which its best passage fits}."""
    budgets: dict[str, int] = {}
    spent = 0
    for passage in fill(relevant, tokens=sum(one.tokens for one in relevant)):
        spent += passage.tokens
        budgets.setdefault(passage.memory_id, spent)
    return budgets


def in_context(
    scores: Mapping[str, float], passages: Mapping[str, Passage], state: RecallState
) -> PassageScores:
    """The scores, given who speaks in the passages and what stands beside them."""
    voices = voice_factors(list(passages.values()), state["question"])
    return with_neighbours({p: scores[p] * voices[p] for p in scores}, passages)


def is_answerable(state: RecallState, *, min_score: float) -> bool:
    """Whether anything is given at all: as for k memories, or nearly so.

    The reader of a budget sorts for himself: for a fact, too, the bar of other questions holds.
    Where somebody has read the candidates and found nothing good, nothing is given.
    """
    if state.get("picks"):
        return True
    if critics_order(last_votes(state)) is not None:
        return False
    return answerable(state, "conceptual", min_score=min_score)[0]


def fill(ranked: Sequence[Passage], *, tokens: int) -> list[Passage]:
    """The passages in order as long as they fit; what repeats an earlier one comes last.

    One that does not fit is left out and a shorter one may still enter.
    """
    overlap = shingle_overlap([passage.text for passage in ranked])
    taken: list[int] = []
    repeated: list[int] = []
    left = tokens
    for row, passage in enumerate(ranked):
        if passage.tokens > left:
            continue
        if taken and overlap[row, taken].max() >= REPEATS_AT:
            repeated.append(row)
            continue
        taken.append(row)
        left -= passage.tokens
    for row in repeated:
        if ranked[row].tokens <= left:
            taken.append(row)
            left -= ranked[row].tokens
    return [ranked[row] for row in taken]


def by_memory(passages: Sequence[Passage]) -> dict[str, list[str]]:
    """{memory id: its passage ids}, both in the order of the passages."""
    owned: dict[str, list[str]] = {}
    for passage in passages:
        owned.setdefault(passage.memory_id, []).append(passage.passage_id)
    return owned


def finders(
    passages: Sequence[Passage], state: RecallState, *, services: Services
) -> dict[str, tuple[float, str]]:
    """{passage id: (calibrated relevance, query id)} by the query that each is most relevant to."""
    wanted = sorted({whole_id(passage.passage_id) for passage in passages})
    best: dict[str, tuple[float, str]] = {}
    for query_id, ranking in state["rankings"].items():
        cosines, words = cosines_of(ranking), scores_of(ranking["lexical"])
        found = [
            passage_id for passage_id in wanted if passage_id in cosines or passage_id in words
        ]
        relevance = calibrated_relevance(
            np.array([cosines.get(passage_id, nan) for passage_id in found]),
            np.array([words.get(passage_id, 0.0) for passage_id in found]),
            shares=SHARES,
            calibration=services.scale.calibration_for(as_texts=embeds_once(state)),
        )
        for passage_id, score in zip(found, relevance.tolist(), strict=True):
            best[passage_id] = max(best.get(passage_id, (-1.0, "")), (round(score, 4), query_id))
    return {passage.passage_id: best[whole_id(passage.passage_id)] for passage in passages}

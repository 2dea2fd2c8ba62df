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
from secondhop.nodes.selection.answerable import answerable
from secondhop.nodes.selection.relevance import critics_order, exposure, last_votes
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallState
from secondhop.ranking.calibration import calibrated_relevance
from secondhop.ranking.shingles import shingle_overlap
from secondhop.stores.records import Passage

LOADED = 300
"""Least number of passages looked up; a large budget needs more."""

TOKENS_A_PASSAGE = 10
"""Tokens that a passage has at least, with rare exceptions. It bounds how many a budget holds."""

LEAST_SHARE = 0.3
"""A passage with less than this share of the best score is about something else and is left out,
even if there is room. On LoCoMo, MuSiQue and LifeBench (50 questions each; 500 to 2,000 tokens)
this costs no evidence."""

SAID_BY_SHOWN = 0.8
"""A passage adds nothing if one taken before has at least this share of its word shingles."""


class LeftOut(NamedTuple):
    """A memory with no passage in the budget."""

    share: float
    """Score of its best passage, as a share of the best score of all."""
    tokens: int
    """Tokens of its shortest passage."""
    budget: int | None
    """A budget that holds a passage of it; None: all its passages score too low."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A token budget, filled."""

    passages: list[Passage] = field(default_factory=list[Passage])
    """Best first; together they fit into the budget."""
    left_out: Mapping[str, LeftOut] = field(default_factory=dict[str, LeftOut])
    """{memory id: why} for memories with nothing among `passages`, best first."""


async def filled_evidence(state: RecallState, *, tokens: int, services: Services) -> Filled:
    """The best passages that fit into `tokens` together; none if the recall has no answer.

    Passages compete by their own scores for the question and its facets, whatever memory they
    belong to. Passages that repeat an earlier one come last, and those below `LEAST_SHARE` are left
    out.
    """
    if not is_answerable(state, min_score=services.settings.ranking.min_score):
        return Filled()
    scores = passage_scores(state)
    loaded = best_first(scores)[: max(LOADED, tokens // TOKENS_A_PASSAGE)]
    passages = await services.reader.passages(loaded)
    voices = voice_factors(list(passages.values()), state["question"])
    spoken = {p: scores[p] * voices[p] for p in loaded if p in passages}
    scores = with_neighbours(spoken, passages)
    if is_unplanned(state):
        scores = await with_links(scores, passages, state, services=services)
    told, pieces = with_turns(scores, passages, state["question"])
    told = yielding(told, pieces, state, settings=services.settings.ranking)
    if not date_factors(state):  # if the question names a time, that counts, not the latest
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
    """The scores times the exposure factor of each memory (1 if freshness is off)."""
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
    """{memory id: why} for the memories with no passage among `filled`, best first."""
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
    """{memory id: a budget that holds a passage of it, with room for all that come before}.

    A smaller budget may do: it skips what does not fit.
    """
    budgets: dict[str, int] = {}
    spent = 0
    for passage in fill(relevant, tokens=sum(one.tokens for one in relevant)):
        spent += passage.tokens
        budgets.setdefault(passage.memory_id, spent)
    return budgets


def is_answerable(state: RecallState, *, min_score: float) -> bool:
    """Whether there is an answer: almost the same rule as for k memories.

    True if there are picks. False if the critic has voted and there are none. Otherwise the lower
    bar of questions for help holds, also for a look-up, because whoever reads the passages sorts
    out what is not needed.
    """
    if state.get("picks"):
        return True
    if critics_order(last_votes(state)) is not None:
        return False
    return answerable(state, "conceptual", min_score=min_score)[0]


def fill(ranked: Sequence[Passage], *, tokens: int) -> list[Passage]:
    """The passages in order, as far as they fit; those that repeat an earlier one come last.

    A passage that does not fit is skipped, so a shorter one may still be taken.
    """
    overlap = shingle_overlap([passage.text for passage in ranked])
    taken: list[int] = []
    repeated: list[int] = []
    left = tokens
    for row, passage in enumerate(ranked):
        if passage.tokens > left:
            continue
        if taken and overlap[row, taken].max() >= SAID_BY_SHOWN:
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
    """{passage id: (calibrated relevance, query id)}, for the query with the highest relevance."""
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

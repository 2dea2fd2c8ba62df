"""Recalling every topic of a file, with secondhop and with plain search."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter
from typing import Any

from secondhop.errors import UsageError
from secondhop.evals.baselines import plain_rankings
from secondhop.evals.costs import Costs, costs_of
from secondhop.evals.ir_library import library_measures
from secondhop.evals.judgements import Judgement, Rankings, question_ids
from secondhop.evals.measures import Measures, mean_of
from secondhop.evals.report import OURS
from secondhop.evals.side_by_side import side_by_side
from secondhop.evals.topics import Topic
from secondhop.graph.result import Spent
from secondhop.ingest.run import IngestProgress
from secondhop.recall import Recall

EXAMPLES = 3
"""Ids that a message names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicAnswer:
    """One topic, asked."""

    ranked: Mapping[str, Sequence[str]]
    """{system: memory ids, best first}, secondhop first."""
    ms: float
    spent: Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRun:
    """Every topic, asked."""

    rankings: Mapping[str, Rankings]
    """{system: {topic id: memory ids}}, secondhop first."""
    costs: Costs

    def measures(
        self, judgements: Sequence[Judgement], *, k: int
    ) -> dict[str, dict[str, Measures]]:
        """{system: {judged topic: measures}}; a topic without an answer has 0 everywhere."""
        cutoffs = dict.fromkeys(question_ids(judgements), k)
        return {
            system: library_measures(judgements, ranked, cutoffs=cutoffs)
            for system, ranked in self.rankings.items()
        }

    def means(self, judgements: Sequence[Judgement], *, k: int) -> dict[str, Measures]:
        """{system: {"P@10": …}} over the judged topics."""
        return {
            system: {f"{name}@{k}": value for name, value in mean_of(rows.values()).items()}
            for system, rows in self.measures(judgements, k=k).items()
        }

    def document(self, judgements: Sequence[Judgement], *, k: int) -> dict[str, Any]:
        """For `--json`: a key for each system."""
        measured, means = self.measures(judgements, k=k), self.means(judgements, k=k)
        return {
            system: {"results": ranked, "mean": means[system], "queries": measured[system]}
            for system, ranked in self.rankings.items()
        }


async def run_topics(
    topics: Sequence[Topic],
    recall: Recall,
    *,
    k: int,
    at: datetime | None = None,
    at_once: int = 1,
    progress: IngestProgress | None = None,
) -> TopicRun:
    """Ask every topic of a memory that is stored.

    Args:
        k: memories to return.
        at: "now" of topics without a time; None: the clock.
        progress: called with ("topics", answered, in all).
    """
    answers = await side_by_side(
        topics,
        lambda topic: ask_topic(topic, recall, k=k, at=at),
        at_once=at_once,
        progress=(lambda done: progress("topics", done, len(topics))) if progress else None,
    )
    rankings: dict[str, dict[str, Sequence[str]]] = {}
    for topic, answer in zip(topics, answers, strict=True):
        for system, ranked in answer.ranked.items():
            rankings.setdefault(system, {})[topic.id] = ranked
    costs = costs_of((one.spent for one in answers), (one.ms for one in answers))
    return TopicRun(rankings=dict(rankings), costs=costs)


async def ask_topic(topic: Topic, recall: Recall, *, k: int, at: datetime | None) -> TopicAnswer:
    """One topic through secondhop and through every baseline."""
    began = perf_counter()
    result = await recall.arecall(topic.question, k=k, at=topic.asked_at or at)
    ms = 1000 * (perf_counter() - began)
    plain = await plain_rankings(
        topic.question, k=k, search=recall.store, embedder=recall.services.embedder
    )
    return TopicAnswer(ranked={OURS: result.ids(), **plain}, ms=ms, spent=result.spent)


def of_topics(judgements: Sequence[Judgement], topics: Sequence[Topic]) -> list[Judgement]:
    """The judgements of these topics.

    Raises:
        UsageError: there is none.
    """
    asked = {topic.id for topic in topics}
    kept = [one for one in judgements if one.question_id in asked]
    if not kept:
        known = ", ".join(sorted({one.question_id for one in judgements})[:EXAMPLES])
        raise UsageError(
            f"no topic is judged: the qrels judge {known}, …, "
            f"the topics are {', '.join(sorted(asked)[:EXAMPLES])}, …"
        )
    return kept


async def expect_judged_memories(judgements: Sequence[Judgement], recall: Recall) -> int:
    """How many relevant memories of the qrels are not stored.

    Raises:
        UsageError: none of them is: the ids are others.
    """
    relevant = list(dict.fromkeys(one.memory_id for one in judgements if one.grade > 0))
    stored = await recall.store.content_hashes()
    missing = [memory_id for memory_id in relevant if memory_id not in stored]
    if relevant and len(missing) == len(relevant):
        raise UsageError(
            f"none of the {len(relevant)} memories that the qrels call relevant is stored; they "
            f"say {', '.join(relevant[:EXAMPLES])}, the store has "
            f"{', '.join(sorted(stored)[:EXAMPLES])}"
        )
    return len(missing)

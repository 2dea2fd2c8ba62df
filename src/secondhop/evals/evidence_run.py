"""Running evidence sets: every question fills its tokens, with secondhop and with plain search."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import perf_counter

from secondhop.evals.evidence_baselines import plain_passages
from secondhop.evals.evidence_report import OURS, EvidenceReport
from secondhop.evals.evidence_score import EvidenceScorer
from secondhop.evals.evidence_set import ItemLine, QuestionLine
from secondhop.evals.side_by_side import side_by_side
from secondhop.graph.result import RecallResult
from secondhop.recall import Recall

MARGIN = 1.5
"""Tokens asked for, against the largest budget.

A budget counts four characters a token; in code and numbers a tokenizer sees more tokens than
that. What is too much is cut off.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """One question, asked."""

    passages: list[str]
    """Best first."""
    ms: float
    plain: Mapping[str, list[str]]
    """{baseline: passages}; {} where plain search was left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRun:
    """How the questions of one entity are asked."""

    budget: int
    """The largest, in tokens. A question is recalled once: the first passages are those that a
    smaller budget would hold."""
    now: datetime | None = None
    """When a question without a time is asked."""
    at_once: int = 1
    """Questions; with more than one the times are those of a busy machine."""
    baselines: bool = True
    """Ask plain search, too."""
    progress: Callable[[int], None] | None = None
    """Hears how many are answered."""


async def run_entity(
    questions: Sequence[QuestionLine],
    recall: Recall,
    report: EvidenceReport,
    *,
    scorer: EvidenceScorer,
    settings: EvidenceRun,
) -> None:
    """Ask questions of one entity, whose items must be stored, and report them in order."""
    answers = await side_by_side(
        questions,
        lambda question: ask(question, recall, settings=settings),
        at_once=settings.at_once,
        progress=settings.progress,
    )
    for question, answer in zip(questions, answers, strict=True):
        rankings = {OURS: answer.passages, **answer.plain}
        report.add(
            question,
            answer.passages,
            recalls={
                system: scorer.recalls(question, passages, budgets=report.budgets)
                for system, passages in rankings.items()
            },
            ms=answer.ms,
        )


async def ask(question: QuestionLine, recall: Recall, *, settings: EvidenceRun) -> Filled:
    """One question through secondhop and, unless they are left out, every baseline."""
    at, tokens = question.asked_at or settings.now, round(MARGIN * settings.budget)
    began = perf_counter()
    result = await recall.arecall(question.question, tokens=tokens, at=at)
    ms = 1000 * (perf_counter() - began)
    plain: Mapping[str, list[str]] = {}
    if settings.baselines:
        plain = await plain_passages(
            question.question,
            search=recall.store,
            reader=recall.store,
            embedder=recall.services.embedder,
        )
    return Filled(passages=passages_of(result), ms=ms, plain=plain)


def passages_of(result: RecallResult) -> list[str]:
    """The texts of all evidence, best first, whatever their memories."""
    evidence = [passage for memory in result.memories for passage in memory.evidence]
    evidence.sort(key=lambda passage: passage.place or 0)
    return [passage.text for passage in evidence]


def last_moment(items: Sequence[ItemLine]) -> datetime | None:
    """When the last item was written: "now" for questions that have no time."""
    return max((item.created_at for item in items if item.created_at), default=None)

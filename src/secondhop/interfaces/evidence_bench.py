"""Evidence sets, measured one after the other: where, with what, and how far it is."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from secondhop.evals.evidence_plans import planner_for
from secondhop.evals.evidence_report import EvidenceReport
from secondhop.evals.evidence_run import EvidenceRun, last_moment, run_entity
from secondhop.evals.evidence_score import EvidenceScorer
from secondhop.evals.evidence_set import EvidenceSet, stratified
from secondhop.evals.evidence_store import store_items
from secondhop.ingest.run import IngestProgress
from secondhop.interfaces.opening import kept_embeddings, opened, throwaway
from secondhop.interfaces.options import Common
from secondhop.interfaces.progress import bars
from secondhop.models.embedder import Embedder

CACHE = "eval-evidence"
"""Folder of the kept embeddings in the user's cache."""


async def measure_sets(
    found: list[EvidenceSet],
    common: Common,
    *,
    budgets: list[int],
    limit: int | None = None,
    at_once: int = 1,
    plans: str | None = None,
) -> list[EvidenceReport]:
    """One report a set, from a throwaway store unless one was named to keep."""
    with ExitStack() as stack:
        bench = EvidenceBench(
            place=stack.enter_context(throwaway(common)),
            embedder=stack.enter_context(kept_embeddings(common, CACHE)),
            progress=stack.enter_context(bars()),
            budgets=budgets,
            limit=limit,
            at_once=at_once,
            plans=plans,
        )
        return [await bench.measure(one) for one in found]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceBench:
    """Where and how sets are measured."""

    place: Common
    embedder: Embedder
    progress: IngestProgress | None
    budgets: list[int]
    limit: int | None
    """Questions a set; None: all."""
    at_once: int
    plans: str | None = None
    """"gold", or the file of the plans to follow; None: the recall's own."""

    async def measure(self, evidence_set: EvidenceSet) -> EvidenceReport:
        """Entity by entity: its items are stored, then its questions are asked."""
        report = EvidenceReport(name=evidence_set.name, budgets=self.budgets)
        scorer = EvidenceScorer(evidence_set)
        questions = stratified(evidence_set.questions, limit=self.limit)
        planner = (
            planner_for(self.plans, name=evidence_set.name, questions=questions)
            if self.plans
            else None
        )
        for entity in dict.fromkeys(question.entity for question in questions):
            own, items = [q for q in questions if q.entity == entity], evidence_set.items_of(entity)
            run = EvidenceRun(
                budget=max(self.budgets),
                now=self.place.at or last_moment(items),
                at_once=self.at_once,
                planner=planner,
                progress=self.heard(evidence_set.name, len(report.results), len(questions)),
            )
            name = f"{evidence_set.name}: {entity}"
            async with opened(
                self.place, entity=name, embedder=self.embedder, counting=True
            ) as recall:
                await store_items(items, recall, progress=self.progress)
                await run_entity(own, recall, report, scorer=scorer, settings=run)
        return report

    def heard(self, name: str, before: int, total: int) -> Callable[[int], None] | None:
        """Progress over all questions of a set, of which some were answered before."""
        if self.progress is None:
            return None
        report = self.progress
        return lambda done: report(name, before + done, total)

"""Evidence sets, measured one after the other: where, with what, and how far it is."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from secondhop.cli.opening import kept_embeddings, opened, settings_of, throwaway
from secondhop.cli.options import Common
from secondhop.cli.progress import bars
from secondhop.errors import UsageError
from secondhop.evals.comparison import Comparison, Rows, compared
from secondhop.evals.comparison_targets import (
    ComparisonTarget,
    EarlierReport,
    OtherSettings,
    PlainSearch,
)
from secondhop.evals.evidence_report import EvidenceReport
from secondhop.evals.evidence_run import EvidenceRun, last_moment, run_entity
from secondhop.evals.evidence_score import EvidenceScorer
from secondhop.evals.evidence_set import EvidenceSet, of_types, stratified
from secondhop.evals.evidence_store import store_items
from secondhop.evals.setting_changes import changed_settings
from secondhop.ingest.run import IngestProgress
from secondhop.models.embedder import Embedder
from secondhop.nodes.config import Config
from secondhop.settings import load_settings

CACHE = "eval-evidence"
"""Folder of the kept embeddings in the user's cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidencePlan:
    """What to measure, how, and against what."""

    sets: Sequence[EvidenceSet]
    budgets: Sequence[int]
    """In tokens."""
    limit: int | None = None
    """Questions a set; None: all."""
    at_once: int = 1
    """Questions; with more than one the times are those of a busy machine."""
    types: Sequence[str] = ()
    """Of questions to ask; none: every type."""
    changes: Sequence[str] = ()
    """Settings, "NAME=VALUE", over those that ship."""
    against: ComparisonTarget | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceMeasured:
    """What was found."""

    reports: list[EvidenceReport]
    comparison: Comparison | None = None

    def document(self) -> dict[str, Any]:
        """For `--json`: a key a set, and "against" when there was a comparison."""
        found = {report.name: report.document() for report in self.reports}
        return {**found, "against": self.comparison.document()} if self.comparison else found


async def measured_sets(plan: EvidencePlan, common: Common) -> EvidenceMeasured:
    """One report a set, from a throwaway store unless one was named to keep.

    Raises:
        UsageError: no such setting, or an earlier report of other sets.
    """
    shipped = settings_of(common, load_settings()).flat()
    own = changed_settings(shipped, plan.changes)
    theirs: Config | None = None
    if isinstance(plan.against, OtherSettings):
        theirs = changed_settings(shipped, plan.against.changes)
    if isinstance(plan.against, EarlierReport):
        expect_sets(plan.against, plan.sets)
    with ExitStack() as stack:
        bench = EvidenceBench(
            place=stack.enter_context(throwaway(common)),
            embedder=stack.enter_context(kept_embeddings(common, CACHE)),
            progress=stack.enter_context(bars()),
            plan=plan,
        )
        reports: list[EvidenceReport] = []
        rows: dict[str, Rows] = {}
        for one in plan.sets:
            report = await bench.measure(one, own)
            reports.append(report)
            if theirs is not None:
                other = await bench.measure(one, theirs, baselines=False)
                rows[one.name] = other.rows()
            elif plan.against is not None:
                rows[one.name] = rows_without_asking(plan.against, report, one)
    if plan.against is None:
        return EvidenceMeasured(reports=reports)
    ours = {report.name: report.rows() for report in reports}
    return EvidenceMeasured(reports=reports, comparison=compared(plan.against.name, ours, rows))


def expect_sets(earlier: EarlierReport, sets: Sequence[EvidenceSet]) -> None:
    """Raises UsageError when the report has not all of these sets, or no question of one."""
    for one in sets:
        results = earlier.results.get(one.name, {})
        if not any(question.id in results for question in one.questions):
            raise UsageError(
                f"the report {earlier.name} has no question of the set {one.name}; "
                f"it is about {', '.join(earlier.results)}"
            )


def rows_without_asking(
    other: ComparisonTarget, report: EvidenceReport, evidence_set: EvidenceSet
) -> Rows:
    """The figures of plain search, or of an earlier report measured again."""
    if isinstance(other, PlainSearch):
        return report.rows(other.name)
    if isinstance(other, EarlierReport):
        scorer = EvidenceScorer(evidence_set)
        return report.rows_of_results(other.results[report.name], scorer=scorer)
    raise AssertionError("unreachable: other settings are asked")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceBench:
    """Where and how sets are measured."""

    place: Common
    embedder: Embedder
    progress: IngestProgress | None
    plan: EvidencePlan

    async def measure(
        self, evidence_set: EvidenceSet, settings: Config, *, baselines: bool = True
    ) -> EvidenceReport:
        """Entity by entity: its items are stored, if they are not, then its questions are asked."""
        report = EvidenceReport(name=evidence_set.name, budgets=self.plan.budgets)
        scorer = EvidenceScorer(evidence_set)
        chosen = of_types(evidence_set.questions, self.plan.types, name=evidence_set.name)
        questions = stratified(chosen, limit=self.plan.limit)
        for entity in dict.fromkeys(question.entity for question in questions):
            own, items = [q for q in questions if q.entity == entity], evidence_set.items_of(entity)
            run = EvidenceRun(
                budget=max(self.plan.budgets),
                now=self.place.at or last_moment(items),
                at_once=self.plan.at_once,
                baselines=baselines,
                progress=self.heard(evidence_set.name, len(report.results), len(questions)),
            )
            async with opened(
                self.place,
                entity=f"{evidence_set.name}: {entity}",
                embedder=self.embedder,
                counting=True,
                settings=settings,
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

"""`secondhop eval evidence`: how much of the evidence fits into a budget of tokens."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.errors import UsageError
from secondhop.interfaces.options import Common

if TYPE_CHECKING:
    from secondhop.evals.evidence_report import EvidenceReport
    from secondhop.evals.evidence_set import EvidenceSet
    from secondhop.ingest.run import IngestProgress
    from secondhop.models.embedder import Embedder

CACHE = "eval-evidence"
"""Folder of the kept embeddings in the user's cache."""


def given_budgets(text: str) -> list[int]:
    """Budgets in tokens, separated by commas; smallest first.

    Raises:
        BadParameter: not that.
    """
    try:
        budgets = sorted({int(part) for part in text.split(",")})
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} are no budgets, like 500,1000,2000") from error
    if budgets[0] < 1:
        raise typer.BadParameter("a budget is at least 1 token")
    return budgets


def evidence(
    common: Common,
    folders: Annotated[
        list[Path], typer.Argument(metavar="DIR...", help="Folders of evidence sets.")
    ],
    budgets: Annotated[
        str, typer.Option(metavar="N,N", help="Tokens to fill, separated by commas.")
    ] = "500,1000,2000",
    limit: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="At most N questions a set, of every type some."),
    ] = None,
    concurrency: Annotated[
        int, typer.Option(min=1, metavar="N", help="Questions at once; 1 keeps the times honest.")
    ] = 1,
) -> None:
    """Measure how much of the evidence fits into a budget of tokens.

    Beside it stands what plain search of the same store reaches.
    """
    from secondhop.interfaces.evidence_view import show_evidence
    from secondhop.interfaces.opening import run
    from secondhop.interfaces.terminal import print_json, screen

    wanted = given_budgets(budgets)
    found = load_sets(folders)
    reports = run(measure_sets(found, common, budgets=wanted, limit=limit, at_once=concurrency))
    if common.json:
        print_json({report.name: report.document() for report in reports})
    else:
        show_evidence(reports, screen())


def load_sets(folders: list[Path]) -> "list[EvidenceSet]":
    """The sets of these folders.

    Raises:
        UsageError: one is no evidence set, or two have the same name.
    """
    from secondhop.evals.evidence_set import load_evidence_set

    found = [load_evidence_set(folder) for folder in folders]
    if len({one.name for one in found}) < len(found):
        raise UsageError("two folders have the same name; measure them one at a time")
    return found


async def measure_sets(
    found: "list[EvidenceSet]",
    common: Common,
    *,
    budgets: list[int],
    limit: int | None = None,
    at_once: int = 1,
) -> "list[EvidenceReport]":
    """One report a set, from a throwaway store unless one was named to keep."""
    from secondhop.interfaces.opening import kept_embeddings, throwaway
    from secondhop.interfaces.progress import bars

    with ExitStack() as stack:
        bench = EvidenceBench(
            place=stack.enter_context(throwaway(common)),
            embedder=stack.enter_context(kept_embeddings(common, CACHE)),
            progress=stack.enter_context(bars()),
            budgets=budgets,
            limit=limit,
            at_once=at_once,
        )
        return [await bench.measure(one) for one in found]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceBench:
    """Where and how sets are measured."""

    place: Common
    embedder: "Embedder"
    progress: "IngestProgress | None"
    budgets: list[int]
    limit: int | None
    """Questions a set; None: all."""
    at_once: int

    async def measure(self, evidence_set: "EvidenceSet") -> "EvidenceReport":
        """Entity by entity: its items are stored, then its questions are asked."""
        from secondhop.evals.evidence_report import EvidenceReport
        from secondhop.evals.evidence_run import EvidenceRun, last_moment, run_entity
        from secondhop.evals.evidence_score import EvidenceScorer
        from secondhop.evals.evidence_set import stratified
        from secondhop.evals.evidence_store import store_items
        from secondhop.interfaces.opening import opened

        report = EvidenceReport(name=evidence_set.name, budgets=self.budgets)
        scorer = EvidenceScorer(evidence_set)
        questions = stratified(evidence_set.questions, limit=self.limit)
        for entity in dict.fromkeys(question.entity for question in questions):
            own, items = [q for q in questions if q.entity == entity], evidence_set.items_of(entity)
            run = EvidenceRun(
                budget=max(self.budgets),
                now=self.place.at or last_moment(items),
                at_once=self.at_once,
                progress=self.heard(evidence_set.name, len(report.results), len(questions)),
            )
            name = f"{evidence_set.name}: {entity}"
            async with opened(
                self.place, entity=name, embedder=self.embedder, counting=True
            ) as recall:
                await store_items(items, recall, progress=self.progress)
                await run_entity(own, recall, report, scorer=scorer, settings=run)
        return report

    def heard(self, name: str, before: int, total: int) -> "Callable[[int], None] | None":
        """Progress over all questions of a set, of which some were answered before."""
        if self.progress is None:
            return None
        report = self.progress
        return lambda done: report(name, before + done, total)

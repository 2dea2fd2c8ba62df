"""Two systems on the same evidence sets: all questions together, and every type of question."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from secondhop.evals.comparison import Comparison, Rows, compared
from secondhop.evals.evidence_report import ALL, OURS, EvidenceReport
from secondhop.evals.evidence_score import EvidenceScorer
from secondhop.evals.judgements import Rankings


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceComparison:
    """secondhop against another system, other settings, or an earlier report."""

    whole: Comparison
    """Every set counts the same."""
    types: Mapping[str, Mapping[str, Comparison]]
    """{set: {type of question: of those alone}}."""

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        by_set = {
            name: {kind: type_document(one) for kind, one in kinds.items()}
            for name, kinds in self.types.items()
        }
        return {**self.whole.document(), "categories": by_set}


def type_document(comparison: Comparison) -> dict[str, Any]:
    """One type: how many questions, and the differences."""
    measures = {one.measure: one.document() for one in comparison.differences}
    return {"questions": questions_in(comparison), "measures": measures}


def questions_in(comparison: Comparison) -> int:
    """How many both were asked."""
    return sum(len(rows) for rows in comparison.gains.values())


def compared_evidence(
    against: str, reports: Sequence[EvidenceReport], theirs: Mapping[str, Rows]
) -> EvidenceComparison:
    """secondhop in these reports against somebody's rows, by set."""
    ours = {report.name: own_rows(report) for report in reports}
    types = {
        report.name: {
            kind: compared(
                against,
                {report.name: some(ours[report.name], ids)},
                {report.name: some(theirs[report.name], ids)},
            )
            for kind, ids in types_of(report).items()
            if any(one in theirs[report.name] for one in ids)
        }
        for report in reports
    }
    return EvidenceComparison(whole=compared(against, ours, theirs), types=types)


def best_plain(reports: Sequence[EvidenceReport]) -> EvidenceComparison | None:
    """Against the plain search that finds most within the largest budget; None without any."""
    systems = [name for name in reports[0].recalls if name != OURS] if reports else []
    if not systems:
        return None

    def reached(system: str) -> float:
        return sum(report.means()[system][max(report.budgets)] for report in reports)

    best = max(systems, key=reached)
    rows = {report.name: rows_of_system(report, best) for report in reports}
    return compared_evidence(best, reports, rows)


def types_of(report: EvidenceReport) -> dict[str, list[str]]:
    """{type: its question ids}, without the one of all questions."""
    return {kind: ids for kind, ids in report.types().items() if kind != ALL}


def own_rows(report: EvidenceReport) -> Rows:
    """What secondhop reached. No times: who is asked second finds its embeddings cached."""
    return rows_of_system(report, OURS)


def rows_of_system(report: EvidenceReport, system: str) -> Rows:
    """{question id: {"recall@500": …}}."""
    return {one: by_measure(recalls) for one, recalls in report.recalls[system].items()}


def rows_of_results(report: EvidenceReport, results: Rankings, *, scorer: EvidenceScorer) -> Rows:
    """The passages of an earlier report, measured anew; questions that it lacks are left out."""
    return {
        one: by_measure(scorer.recalls(question, results[one], budgets=report.budgets))
        for one, question in report.asked.items()
        if one in results
    }


def by_measure(recalls: Mapping[int, float]) -> dict[str, float]:
    """{"recall@500": …} of {500: …}."""
    return {f"recall@{budget}": recall for budget, recall in recalls.items()}


def some(rows: Rows, ids: Iterable[str]) -> Rows:
    """The rows of some questions."""
    return {one: rows[one] for one in ids if one in rows}

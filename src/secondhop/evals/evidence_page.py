"""The HTML page of an evidence evaluation: nothing is fetched or run, as in `page`."""

from collections.abc import Iterator, Mapping, Sequence
from math import fsum

from secondhop.evals.comparison import Comparison
from secondhop.evals.evidence_comparison import (
    EvidenceComparison,
    best_plain,
    questions_in,
)
from secondhop.evals.evidence_report import OURS, EvidenceReport
from secondhop.evals.evidence_score import within
from secondhop.evals.evidence_set import ItemLine, QuestionLine
from secondhop.evals.markup import Markup, element, joined, quoted
from secondhop.evals.measures import Measures, mean_of
from secondhop.evals.page import anchor_of, glossary, how_sure, whole_page
from secondhop.evals.page_plots import QuestionDot, bars, dots, legend
from secondhop.evals.page_tables import (
    comparison_table,
    differences_table,
    figure,
    heading,
    measures_table,
)

OPENED = 8
"""Passages that a question shows."""

TOLD = 300
"""Characters shown of a passage, or of what was missed."""

DOTS = 40
"""Questions drawn: those that gain and lose most."""


def evidence_page(
    reports: Sequence[EvidenceReport],
    comparison: EvidenceComparison | None,
    *,
    facts: Mapping[str, str],
) -> str:
    """The page.

    Args:
        comparison: None: with the plain search that finds most, where there is one.
        facts: what was measured with what, for the head of the page.
    """
    found = comparison or best_plain(reports)
    main = element(
        "main",
        overview(reports),
        gains_section(reports, found) if found else None,
        *(set_section(number, report, found) for number, report in enumerate(reports)),
        glossary(["recall"]),
        id="main",
    )
    return whole_page(main, facts=facts, parts=[report.name for report in reports])


def measure_at(budget: int) -> str:
    """What recall within that many tokens is called."""
    return f"recall@{budget}"


def means_of(report: EvidenceReport) -> dict[str, Measures]:
    """{system: {"recall@500": …}}."""
    return {
        system: {measure_at(budget): recall for budget, recall in means.items()}
        for system, means in report.means().items()
    }


def overview(reports: Sequence[EvidenceReport]) -> Markup:
    """Bars of every budget, and the table that they draw; means of the sets."""
    by_set = [means_of(report) for report in reports]
    systems = list(by_set[0]) if by_set else []
    means = {system: mean_of(one[system] for one in by_set) for system in systems}
    names = [measure_at(budget) for budget in reports[0].budgets] if reports else []
    plots = [bars(name, {one: means[one][name] for one in systems}, ours=OURS) for name in names]
    title = "Mean of the sets" if len(reports) > 1 else "All questions"
    return element(
        "section",
        element("h2", title),
        element("div", *plots, class_="grid"),
        measures_table(title, means, names),
    )


def gains_section(reports: Sequence[EvidenceReport], comparison: EvidenceComparison) -> Markup:
    """What is gained and lost, by type and by question, and whether that may be chance."""
    whole = comparison.whole
    name = measure_at(middle(reports[0].budgets))
    plots = [
        dots(name, list(type_dots(reports, comparison, name)), against=whole.against),
        dots(name, question_dots(reports, comparison, name), against=whole.against),
    ]
    return element(
        "section",
        element("h2", f"Against {whole.against}"),
        legend(),
        element("div", *plots, class_="grid wide"),
        element(
            "p",
            f"Left: types of question. Right: the {DOTS} questions that gain and lose most.",
            class_="quiet",
        ),
        comparison_table(whole),
        how_sure(questions_in(whole), each="set"),
    )


def middle(budgets: Sequence[int]) -> int:
    """The budget that is drawn.

    >>> middle([500, 1000, 2000])
    1000
    """
    return budgets[len(budgets) // 2]


def type_dots(
    reports: Sequence[EvidenceReport], comparison: EvidenceComparison, measure: str
) -> Iterator[QuestionDot]:
    """One a set and type."""
    for number, report in enumerate(reports):
        for kind, one in comparison.types[report.name].items():
            yield QuestionDot(
                label=kind if len(reports) == 1 else f"{report.name} {kind}",
                anchor=f"s{number}",
                question=f"{questions_in(one)} questions",
                difference=difference_of(one, measure),
            )


def difference_of(comparison: Comparison, measure: str) -> float:
    """Ours less theirs."""
    return fsum(one.interval.difference for one in comparison.differences if one.measure == measure)


def question_dots(
    reports: Sequence[EvidenceReport], comparison: EvidenceComparison, measure: str
) -> list[QuestionDot]:
    """Those that differ, the greatest differences first; at most DOTS."""
    found = [
        QuestionDot(
            label=one,
            anchor=anchor_of(number, place),
            question=question.question,
            difference=gains[one][measure],
        )
        for number, report in enumerate(reports)
        for gains in [comparison.whole.gains.get(report.name, {})]
        for place, (one, question) in enumerate(report.asked.items())
        if gains.get(one, {}).get(measure)
    ]
    return sorted(found, key=lambda dot: -abs(dot.difference))[:DOTS]


def set_section(
    number: int, report: EvidenceReport, comparison: EvidenceComparison | None
) -> Markup:
    """One set: systems, types, and every question to be opened."""
    names = [measure_at(budget) for budget in report.budgets]
    by_type = {
        f"{kind} ({len(ids)})": {measure_at(b): r for b, r in report.mean(OURS, ids).items()}
        for kind, ids in report.types().items()
    }
    return element(
        "section",
        element("h2", report.name),
        measures_table(f"{report.name}: systems", means_of(report), names),
        measures_table(f"{report.name}: {OURS}, by type of question", by_type, names),
        types_table(report, comparison) if comparison else None,
        element(
            "p",
            f"{len(report.asked)} questions, {report.mean_ms():.0f} ms each.",
            class_="quiet",
        ),
        element("h3", "Questions"),
        *(
            question_details(question, report, anchor=anchor_of(number, place))
            for place, question in enumerate(report.asked.values())
        ),
        id=f"s{number}",
    )


def types_table(report: EvidenceReport, comparison: EvidenceComparison) -> Markup:
    """Differences of every type and budget."""
    against = comparison.whole.against
    rows = (
        (joined([f"{kind} ({questions_in(one)}) ", heading(row.measure)]), row)
        for kind, one in comparison.types[report.name].items()
        for row in one.differences
    )
    return differences_table(f"{OURS} less {against}, by type of question", against, rows)


def question_details(question: QuestionLine, report: EvidenceReport, *, anchor: str) -> Markup:
    """One question, to be opened: what came first, and what is missing."""
    recalls = report.recalls[OURS][question.id]
    largest = max(report.budgets)
    return element(
        "details",
        element(
            "summary",
            element("code", question.id),
            " ",
            quoted(question.question),
            element(
                "span",
                f"{question.category}, {figure(recalls[largest])} within {largest} tokens",
                class_="score",
            ),
        ),
        recalls_list(question, report),
        element("h4", "First passages"),
        element(
            "ol", *(element("li", quoted(short(text))) for text in first_passages(report, question))
        ),
        missed_part(report.missed.get(question.id, ())),
        id=anchor,
    )


def recalls_list(question: QuestionLine, report: EvidenceReport) -> Markup:
    """What every system reached."""
    return element(
        "ul",
        *(
            element(
                "li",
                f"{system}: ",
                ", ".join(f"{figure(recall)} @{b}" for b, recall in own[question.id].items()),
            )
            for system, own in report.recalls.items()
        ),
        class_="chips",
    )


def first_passages(report: EvidenceReport, question: QuestionLine) -> list[str]:
    """What stands first within the largest budget."""
    return within(report.results[question.id], budget=max(report.budgets))[:OPENED]


def missed_part(missed: Sequence[ItemLine]) -> Markup:
    """What the answer needs and does not have."""
    if not missed:
        return element("p", "All evidence is there.")
    return element(
        "section",
        element("h4", "Missed"),
        element("ul", *(missed_item(item) for item in missed)),
        class_="missed",
    )


def missed_item(item: ItemLine) -> Markup:
    """One thing said that would have brought a group."""
    said = f"{item.speaker}: {item.text}" if item.speaker else item.text
    when = f", {item.created_at:%Y-%m-%d}" if item.created_at else ""
    return element("li", quoted(short(said)), " ", element("code", f"{item.id}{when}"))


def short(text: str) -> str:
    """The beginning of a text.

    >>> short("brief")
    'brief'
    """
    return text if len(text) <= TOLD else f"{text[: TOLD - 1]}…"

"""One HTML page that tells an evaluation: nothing is fetched, no script, nothing can be run."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files

from secondhop.evals.comparison import Comparison, compared, rows_of
from secondhop.evals.markup import Markup, element, joined, quoted
from secondhop.evals.measure_names import MEASURE_NAMES, name_of
from secondhop.evals.measures import MEASURES, Measures, mean_of
from secondhop.evals.one_answer import DEPTH, ONE_ANSWER, over_all
from secondhop.evals.page_plots import QuestionDot, bars, dots, legend
from secondhop.evals.page_questions import question_details
from secondhop.evals.page_tables import comparison_table, measures_table, side_table
from secondhop.evals.report import OURS, ScenarioReport, by_system, mean_of_scenarios
from secondhop.evals.side_figures import side_figures

PLOTTED = ("facet_recall", "alpha_ndcg")
"""Measures whose differences are drawn question by question."""

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""The browser fetches nothing and runs nothing, whatever a memory says."""


def report_page(
    reports: Sequence[ScenarioReport],
    comparison: Comparison | None,
    *,
    facts: Mapping[str, str],
) -> str:
    """The page.

    Args:
        comparison: None: with the best plain search by facet recall, where there is one.
        facts: what was measured with what, for the head of the page.
    """
    found = comparison or against_best(reports)
    main = element(
        "main",
        overview(reports),
        gains_section(reports, found) if found else None,
        *(scenario_section(n, report, found) for n, report in enumerate(reports)),
        glossary(),
        id="main",
    )
    return whole_page(main, facts=facts, parts=[report.name for report in reports])


def whole_page(main: Markup, *, facts: Mapping[str, str], parts: Sequence[str]) -> str:
    """The file, around its main part.

    Args:
        parts: what the sections s0, s1, … of the main part are called.
    """
    return f"<!DOCTYPE html>\n{element('html', head(), body(main, facts, parts), lang='en')}\n"


def head() -> Markup:
    """Title, style, and the policy that forbids everything else."""
    style = (files("secondhop.evals") / "page.css").read_text(encoding="utf-8")
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", "secondhop: recall measured"),
        element("style", Markup(style)),
    )


def body(main: Markup, facts: Mapping[str, str], parts: Sequence[str]) -> Markup:
    """Everything that is seen."""
    links = [element("a", name, href=f"#s{n}") for n, name in enumerate(parts)]
    return element(
        "body",
        element("a", "To the figures", href="#main", class_="skip"),
        element(
            "header",
            element("h1", "Recall, measured"),
            element("dl", *(fact(name, value) for name, value in facts.items())),
            element("nav", *joined_links(links), aria_label="Parts"),
        ),
        main,
    )


def fact(name: str, value: str) -> Markup:
    """One fact for the head of the page."""
    return element("div", element("dt", name), element("dd", quoted(value)))


def joined_links(links: Sequence[Markup]) -> Iterator[Markup]:
    """Links with a space between them."""
    for link in links:
        yield joined([link, " "])


def overview(reports: Sequence[ScenarioReport]) -> Markup:
    """Bars of every measure, and the tables that they draw."""
    means, library = mean_of_scenarios(reports), library_means(reports)
    sides = side_figures(reports)
    plots = [bars(name, valued(means, name), ours=OURS) for name in MEASURES]
    names = list(library.get(OURS, {}))
    plots += [bars(name, valued(library, name), ours=OURS) for name in names]
    plots.append(bars("overlap", {one: side.overlap for one, side in sides.items()}, ours=OURS))
    plots.append(bars("distance", {one: side.distance for one, side in sides.items()}, ours=OURS))
    title = "Mean of the scenarios" if len(reports) > 1 else "All questions"
    return element(
        "section",
        element("h2", title),
        element("div", *plots, class_="grid"),
        measures_table(title, means, MEASURES),
        measures_table("Of ir-measures, at each question's k", library, names) if names else None,
        one_answer_table(reports),
        side_table("Results beside each other", sides),
    )


def one_answer_table(reports: Sequence[ScenarioReport]) -> Markup | None:
    """Where the answer stands, of questions that one memory answers; None without any."""
    rows = over_all(report.one_answer for report in reports)
    asked = sum(len(report.one_answer.get(OURS, {})) for report in reports)
    caption = f"Questions with one answer: {asked}, asked for {DEPTH} memories"
    return measures_table(caption, rows, ONE_ANSWER) if rows else None


def library_means(reports: Sequence[ScenarioReport]) -> dict[str, Measures]:
    """{system: mean of the scenarios' means} of ir-measures."""
    return {
        name: mean_of(run.library_mean() for run in runs)
        for name, runs in by_system(reports).items()
    }


def valued(rows: Mapping[str, Measures], name: str) -> dict[str, float | None]:
    """One measure of every system."""
    return {system: row.get(name) for system, row in rows.items()}


def against_best(reports: Sequence[ScenarioReport]) -> Comparison | None:
    """The comparison with the plain search that serves most facets; None without any."""
    plain = {name: mean for name, mean in mean_of_scenarios(reports).items() if name != OURS}
    if not plain:
        return None
    best = max(plain, key=lambda name: plain[name]["facet_recall"])
    return compared(
        best,
        {report.name: rows_of(report.ours) for report in reports},
        {report.name: rows_of(report.systems[best]) for report in reports},
        first=MEASURES,
    )


def gains_section(reports: Sequence[ScenarioReport], comparison: Comparison) -> Markup:
    """What is gained and lost, question by question, and whether that may be chance."""
    plots = [
        dots(name, list(question_dots(reports, comparison, name)), against=comparison.against)
        for name in PLOTTED
    ]
    asked = sum(len(rows) for rows in comparison.gains.values())
    return element(
        "section",
        element("h2", f"Against {comparison.against}, question by question"),
        legend(),
        element("div", *plots, class_="grid wide"),
        comparison_table(comparison),
        how_sure(asked, each="scenario"),
    )


def how_sure(asked: int, *, each: str) -> Markup:
    """What intervals and p say; `each` counts the same."""
    return element(
        "p",
        f"{asked} questions asked of both; each {each} counts the same. The interval is a "
        f"percentile bootstrap, p a two-sided paired randomisation test, each for its measure "
        f"alone: of many measures, one is below 0.05 by chance.",
        class_="quiet",
    )


def question_dots(
    reports: Sequence[ScenarioReport], comparison: Comparison, measure: str
) -> Iterator[QuestionDot]:
    """One a question that both were asked; ids that two scenarios share say which."""
    ids = Counter(question.id for report in reports for question in report.asked)
    twice = {one for one, times in ids.items() if times > 1}
    for number, report in enumerate(reports):
        gains = comparison.gains.get(report.name, {})
        for place, question in enumerate(report.asked):
            if measure in gains.get(question.id, {}):
                yield QuestionDot(
                    label=f"{report.name} {question.id}" if question.id in twice else question.id,
                    anchor=anchor_of(number, place),
                    question=question.query,
                    difference=gains[question.id][measure],
                )


def anchor_of(scenario: int, question: int) -> str:
    """Id of the element that tells one question; ids of users may hold anything."""
    return f"s{scenario}q{question}"


def scenario_section(number: int, report: ScenarioReport, comparison: Comparison | None) -> Markup:
    """One scenario: its tables, and every question to be opened."""
    everywhere: Mapping[str, Mapping[str, Measures]] = comparison.gains if comparison else {}
    gains = everywhere.get(report.name, {})
    costs = report.costs()
    return element(
        "section",
        element("h2", report.name),
        measures_table(f"{report.name}: systems", report.means(), MEASURES),
        side_table(f"{report.name}: results beside each other", side_figures([report])),
        measures_table(f"{report.name}: secondhop by question", report.questions, MEASURES),
        element(
            "p",
            f"{len(report.questions)} questions, {costs.ms:.0f} ms each "
            f"(median {costs.ms_median:.0f}, p95 {costs.ms_p95:.0f}), "
            f"{costs.llm_calls:.1f} model calls, {costs.tokens:,.0f} tokens a recall. ",
            unanswered(report),
            class_="quiet",
        ),
        element("h3", "Questions"),
        *(
            question_details(
                question,
                report,
                anchor=anchor_of(number, place),
                gains=gains.get(question.id, {}),
            )
            for place, question in enumerate(report.asked)
        ),
        id=f"s{number}",
    )


def unanswered(report: ScenarioReport) -> str:
    """What became of the questions that nothing answers."""
    if not report.no_answer:
        return ""
    wrong, asked = report.wrongly_answered(), len(report.no_answer)
    return f"{wrong} of {asked} questions that nothing answers were answered."


def glossary(names: Iterable[str] = MEASURE_NAMES) -> Markup:
    """What these measures mean."""
    terms = [
        element("div", element("dt", one.label), element("dd", one.meaning))
        for one in map(name_of, names)
        if one.meaning
    ]
    return element("section", element("h2", "What the measures mean"), element("dl", *terms))

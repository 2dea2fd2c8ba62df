"""Every question of a report page: what came back, what it serves, what was missed and why."""

from collections.abc import Mapping

from secondhop.evals.markup import Child, Markup, element, joined, quoted
from secondhop.evals.measure_names import name_of
from secondhop.evals.measures import MEASURES, Measures
from secondhop.evals.page_tables import figure, table
from secondhop.evals.question_story import MissedFacet, MissedMemory, QuestionStory, ShownMemory
from secondhop.evals.report import ScenarioReport
from secondhop.evals.scenario import Question

WORTH = {
    "serves": "serves",
    "marginal": "marginal",
    "repeats": "says what an earlier one said",
    "stale": "was replaced by a newer one",
    "not needed": "not needed",
}


def question_details(
    question: Question, report: ScenarioReport, *, anchor: str, gains: Mapping[str, float]
) -> Markup:
    """One question, to be opened.

    Args:
        gains: {measure: difference from whom it is compared with}.
    """
    measures, story = report.questions[question.id], report.stories.get(question.id)
    served = round(measures["facet_recall"] * len(question.facets))
    summary = element(
        "summary",
        element("code", question.id),
        " ",
        quoted(question.query),
        element(
            "span",
            f"{served} of {len(question.facets)} facets, alpha-nDCG {measures['alpha_ndcg']:.2f}",
            class_="score",
        ),
    )
    return element(
        "details",
        summary,
        asked_line(question, report),
        measures_list(measures, gains),
        told(story) if story else None,
        id=anchor,
    )


def asked_line(question: Question, report: ScenarioReport) -> Markup:
    """When it was asked, for how many memories, and what it cost."""
    spent = report.spent[question.id]
    cost = f", {spent.llm_calls} model calls" if spent.llm_calls else ""
    return element(
        "p",
        f"Asked at {question.asked_at:%Y-%m-%d %H:%M} for {question.k} memories; "
        f"{report.ms[question.id]:.0f} ms{cost}.",
        class_="quiet",
    )


def measures_list(measures: Measures, gains: Mapping[str, float]) -> Markup:
    """Every measure, with its difference where there is one."""
    return element(
        "ul",
        *(
            element("li", f"{name_of(name).label} {figure(measures[name])}", changed(gains, name))
            for name in MEASURES
        ),
        class_="chips",
    )


def changed(gains: Mapping[str, float], name: str) -> str:
    """ " (+0.167)" where the measure differs."""
    gain = gains.get(name, 0.0)
    return f" ({gain:+.3f})" if abs(gain) >= 0.0005 else ""


def told(story: QuestionStory) -> Markup:
    """What came back and what was missed."""
    parts: list[Child] = [shown_table(story)]
    if story.missed:
        parts.append(element("h4", "Missed"))
        parts += [missed_section(facet) for facet in story.missed]
    else:
        parts.append(element("p", "Every facet is served."))
    if story.degraded:
        parts.append(element("p", "Done without: ", "; ".join(story.degraded), class_="warning"))
    return joined(parts)


def shown_table(story: QuestionStory) -> Markup:
    """The memories that came back."""
    return table(
        "What came back",
        ["", "memory", "score", "worth", "serves", "came for"],
        (shown_row(slot, memory) for slot, memory in enumerate(story.shown, start=1)),
        numbers=False,
    )


def shown_row(slot: int, memory: ShownMemory) -> list[Child]:
    """One memory of the answer."""
    serves = ", ".join(f"{facet} ({grade})" for facet, grade in memory.serves.items())
    mark = memory.worth.replace(" ", "-")
    return [
        str(slot),
        joined([quoted(memory.title or memory.memory_id), " ", element("code", memory.memory_id)]),
        f"{memory.score:.2f}",
        element("span", WORTH[memory.worth], class_=f"worth {mark}"),
        serves or "–",
        joined([quoted(", ".join(memory.looked_for)), element("br"), quoted(memory.why)]),
    ]


def missed_section(facet: MissedFacet) -> Markup:
    """A facet that nothing serves, and what became of its memories."""
    hop = "named by the question" if facet.hop == 1 else "implied"
    return element(
        "section",
        element("p", element("strong", facet.name), f" ({hop}): ", quoted(facet.why)),
        element("ul", *(missed_item(memory) for memory in facet.memories)),
        class_="missed",
    )


def missed_item(memory: MissedMemory) -> Markup:
    """A memory that would have served it."""
    stage = "never found" if memory.cut_by == "never_found" else f"dropped at {memory.cut_by}"
    change = f" It would come with: {memory.nearest_change}." if memory.nearest_change else ""
    return element(
        "li",
        quoted(memory.title or memory.memory_id),
        " ",
        element("code", memory.memory_id),
        f", grade {memory.grade}: ",
        element("strong", stage),
        ". ",
        quoted(memory.reason),
        quoted(change),
    )

"""The page of an evidence evaluation: well formed, alone, what was missed is told."""

from tests.evals.test_page import HOSTILE, Page

from secondhop.evals.evidence_comparison import compared_evidence, rows_of_system
from secondhop.evals.evidence_page import DOTS, evidence_page
from secondhop.evals.evidence_report import EvidenceReport
from secondhop.evals.evidence_set import ItemLine, QuestionLine
from secondhop.evals.page import POLICY

ITEM = ItemLine(id="i1", entity="ann", session="s", speaker="Ann", text=f"Told {HOSTILE}")


def report(name: str, *, questions: int) -> EvidenceReport:
    """Every second question misses its evidence within 500 tokens; plain search finds none."""
    made = EvidenceReport(name=name, budgets=[500, 1000])
    for number in range(questions):
        question = QuestionLine(
            id=f"{name}-{number}",
            entity="ann",
            question=f"What of {HOSTILE}?",
            category="odd" if number % 2 else "even",
            evidence=[["i1"]],
        )
        made.add(
            question,
            [f"Passage {HOSTILE}", "second"],
            recalls={
                "secondhop": {500: float(number % 2), 1000: 1.0},
                "dense": {500: 0.0, 1000: 0.5},
            },
            ms=3.0,
            missed=[] if number % 2 else [ITEM],
        )
    return made


def test_a_page_is_well_formed_and_nothing_in_it_runs() -> None:
    page = Page(evidence_page([report("made", questions=4)], None, facts={"Measured": HOSTILE}))

    assert page.faults == []
    assert not page.of("script")
    assert {"content": POLICY, "http-equiv": "Content-Security-Policy"} in page.of("meta")
    assert page.of("details")[0]["id"] == "s0q0"


def test_without_a_comparison_the_best_plain_search_is_the_other_side() -> None:
    said = Page(evidence_page([report("made", questions=4)], None, facts={})).said()

    assert "Against dense" in said
    assert "odd (2) evidence recall @500" in said
    assert "Ann: Told" in said


def test_of_many_questions_those_that_differ_most_are_drawn() -> None:
    reports = [report("one", questions=DOTS + 10), report("two", questions=2)]
    theirs = {one.name: rows_of_system(one, "dense") for one in reports}
    page = Page(evidence_page(reports, compared_evidence("dense", reports, theirs), facts={}))

    drawn = [link["href"] for link in page.of("a") if "q" in link["href"]]
    assert len(drawn) == DOTS
    assert "one odd" in page.said()

"""The HTML report: every question is told, and no memory can break out of the page."""

from html.parser import HTMLParser

from tests.evals.labelled import labelled

from secondhop.evals.page import report_page
from secondhop.evals.question_story import (
    MissedFacet,
    MissedMemory,
    QuestionStory,
    ShownMemory,
    Worth,
)
from secondhop.evals.report import ScenarioReport, judged
from secondhop.graph.result import Spent

HOSTILE = '</td><script src="https://evil.example/x.js">alert(1)</script><b onclick="x">'


class Page(HTMLParser):
    """The elements of a page, and its words."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data


def shown(memory_id: str, worth: Worth, **serves: int) -> ShownMemory:
    return ShownMemory(
        memory_id=memory_id,
        title=f"Title of {memory_id} {HOSTILE}",
        score=0.71,
        worth=worth,
        serves=serves,
        looked_for=["own plan"],
        why="It holds the plan.",
    )


def report(name: str) -> ScenarioReport:
    questions = [labelled({"a": 3}, {"b": 3}, question_id=f"{name}-{n}") for n in (1, 2)]
    asked = [one.model_copy(update={"query": f"What of {HOSTILE}?"}) for one in questions]
    missed = MissedMemory(
        memory_id="b",
        title="The missed one",
        grade=3,
        cut_by="pick",
        reason="Round 1, pick: came in at place 7.",
        nearest_change="--k 7",
    )
    story = QuestionStory(
        shown=[shown("a", "serves", f1=3), shown("c", "not needed")],
        missed=[MissedFacet(name="f2", why="Because.", hop=2, memories=[missed])],
        stop_reason="converged",
        degraded=["the planner timed out"],
    )
    ids = [one.id for one in asked]
    ours = judged(asked, {one: ["a", "c"] for one in ids})
    dense = judged(asked, {ids[0]: ["c"], ids[1]: ["a", "b"]})
    return ScenarioReport(
        name=name,
        asked=asked,
        systems={"secondhop": ours, "dense": dense},
        ms=dict.fromkeys(ids, 12.0),
        spent=dict.fromkeys(ids, Spent(llm_calls=3)),
        no_answer={"n": []},
        stories=dict.fromkeys(ids, story),
    )


REPORTS = [report("home"), report("work & <i>")]
FACTS = {"Language model": HOSTILE}


def test_the_page_fetches_nothing_and_runs_nothing() -> None:
    page = Page(report_page(REPORTS, None, facts=FACTS))

    assert not {"script", "img", "link", "iframe", "b", "i"} & {tag for tag, _ in page.elements}
    attributes = {name for _, attributes in page.elements for name in attributes}
    assert not {"src", "href", "onclick"} & attributes
    policy = [one["content"] for _, one in page.elements if "http-equiv" in one]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]
    assert HOSTILE in page.words


def test_every_question_tells_what_came_back_and_what_was_missed_and_why() -> None:
    page = Page(report_page(REPORTS, None, facts={}))

    assert len([tag for tag, _ in page.elements if tag == "details"]) == 4
    for told in ("home-1", "serves, for f1", "not needed", "Missed: f2", "came in at place 7"):
        assert told in page.words
    assert "the planner timed out" in page.words

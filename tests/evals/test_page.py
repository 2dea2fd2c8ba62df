"""The HTML report: well formed, alone, readable by machines and people, not to be broken."""

import re
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from tests.evals.labelled import labelled

from secondhop.evals.comparison import compared, rows_of
from secondhop.evals.markup import VOID
from secondhop.evals.measures import MEASURES
from secondhop.evals.page import POLICY, report_page
from secondhop.evals.question_story import (
    MissedFacet,
    MissedMemory,
    QuestionStory,
    ShownMemory,
    Worth,
)
from secondhop.evals.report import ScenarioReport
from secondhop.evals.system_run import judged
from secondhop.graph.result import Spent

HOSTILE = '</td><script src="https://evil.example/x.js">alert(1)</script><b onclick="x">'
STYLE = (files("secondhop.evals") / "page.css").read_text(encoding="utf-8")


class Page(HTMLParser):
    """Elements in order, the words of each kind, and what is not closed where it should be."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.words: list[tuple[str, str]] = []
        self.faults: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        self.faults += [f"{name} is never closed" for name in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"</{tag}> closes another element")

    def handle_data(self, data: str) -> None:
        self.words.append((self._open[-1] if self._open else "", data))

    def of(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def said(self) -> str:
        return " ".join(" ".join(data for tag, data in self.words if tag != "style").split())


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
    ours = judged(asked, {one: ["a", "c"] for one in ids}, vectors={}, reach={})
    dense = judged(asked, {ids[0]: ["c"], ids[1]: ["a", "b"]}, vectors={}, reach={})
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
PAGE_TEXT = report_page(REPORTS, None, facts={"Language model": HOSTILE})
PAGE = Page(PAGE_TEXT)


def test_the_page_is_well_formed() -> None:
    assert PAGE.faults == []
    assert PAGE_TEXT.startswith("<!DOCTYPE html>")
    assert PAGE.of("html") == [{"lang": "en"}]
    ids = [attributes["id"] for _, attributes in PAGE.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_the_page_fetches_nothing_and_runs_nothing() -> None:
    names = {name for name, _ in PAGE.elements}

    assert not names & {"script", "link", "img", "iframe", "object", "embed", "form", "base"}
    assert {"http-equiv": "Content-Security-Policy", "content": POLICY} in PAGE.of("meta")
    assert not any(name.startswith("on") for _, named in PAGE.elements for name in named)
    assert all(attributes["href"].startswith("#") for attributes in PAGE.of("a"))
    assert "url(" not in STYLE
    assert "@import" not in STYLE


def test_text_of_memories_is_shown_as_it_stands() -> None:
    assert HOSTILE in PAGE.said()
    assert "Title of a" in PAGE.said()


def test_every_link_leads_somewhere() -> None:
    ids = {attributes.get("id") for _, attributes in PAGE.elements}

    assert {attributes["href"].removeprefix("#") for attributes in PAGE.of("a")} <= ids


def test_every_question_tells_what_came_back_and_what_was_missed_and_why() -> None:
    assert len(PAGE.of("details")) == 4
    for told in (
        "1 of 2 facets",
        "f1 (3)",
        "not needed",
        "dropped at pick",
        "came in at place 7",
        "It would come with: --k 7",
        "Done without: the planner timed out",
        "0 of 1 questions that nothing answers were answered",
    ):
        assert told in PAGE.said()


def test_plots_show_every_system_and_every_question() -> None:
    figures = PAGE.of("figure")
    bars = [one for one in figures if one["class"] == "bars"]
    labels = [one["aria-label"] for one in PAGE.of("svg") if "aria-label" in one]

    assert len(bars) >= len(MEASURES)
    assert "facet recall, higher is better: secondhop 0.500, dense 0.500" in labels
    assert "alpha-nDCG: difference from dense, question by question" in labels
    dots = [one for one in PAGE.of("a") if "aria-label" in one]
    assert {one["aria-label"] for one in dots} >= {"home-1: +0.500", "home-2: -0.500"}


def test_figures_are_in_tables_too_with_headings_that_are_marked() -> None:
    assert len(PAGE.of("caption")) == len(PAGE.of("table"))
    assert all(attributes.get("scope") in {"row", "col"} for attributes in PAGE.of("th"))
    assert "secondhop less dense" in PAGE.said()


def test_with_a_comparison_of_its_own_the_page_shows_that() -> None:
    ours = {one.name: rows_of(one.ours) for one in REPORTS}
    comparison = compared("ranking.diversity=mmr", ours, ours)

    page = Page(report_page(REPORTS, comparison, facts={}))

    assert page.faults == []
    assert "Against ranking.diversity=mmr, question by question" in page.said()


def test_a_page_of_one_system_and_no_stories_is_a_page() -> None:
    alone = ScenarioReport(
        name="alone",
        asked=REPORTS[0].asked,
        systems={"secondhop": REPORTS[0].ours},
        ms=REPORTS[0].ms,
        spent=REPORTS[0].spent,
    )

    page = Page(report_page([alone], None, facts={}))

    assert page.faults == []
    assert "All questions" in page.said()


def palette(block: str) -> dict[str, tuple[float, float, float]]:
    """{name: linear RGB} of the colours in a block of the style."""
    found = re.findall(r"--([a-z]+): #([0-9a-f]{6})", block)
    return {name: (linear(code[0:2]), linear(code[2:4]), linear(code[4:6])) for name, code in found}


def linear(channel: str) -> float:
    """A colour channel as WCAG's relative luminance takes it."""
    share = int(channel, 16) / 255
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4


def contrast(first: tuple[float, float, float], second: tuple[float, float, float]) -> float:
    """WCAG 2 contrast ratio, 1..21."""
    lights = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (first, second))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


@pytest.mark.parametrize("block", STYLE.split(":root {")[1:], ids=["light", "dark", "print"])
def test_words_and_marks_stand_out_from_what_is_behind_them(block: str) -> None:
    colours = palette(block.partition("}")[0])

    for behind in ("page", "panel"):
        for words in ("ink", "quiet", "link", "ours", "loss"):
            assert contrast(colours[words], colours[behind]) >= 4.5, (words, behind)
        for marks in ("gain", "loss", "ours"):
            assert contrast(colours[marks], colours[behind]) >= 3, (marks, behind)

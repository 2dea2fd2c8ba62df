"""What each of two prompts wrote for a question is told, also where the answer stays the same."""

from secondhop.evals.prompt_trial import Outcome, Pair, WrittenQuery
from secondhop.evals.trial_report import TrialReport
from secondhop.graph.result import Spent
from secondhop.models.answer_cache import AnswerCounts
from secondhop.prompts.templates import shipped_prompt


def outcome(answer: str, *queries: str) -> Outcome:
    written = [WrittenQuery(facet="own plan", text=text, origin="expand") for text in queries]
    return Outcome(ids=[answer], measures={}, queries=written, spent=Spent(), degraded=[])


def pair(question_id: str, against: Outcome, variant: Outcome) -> Pair:
    return Pair(
        scenario="s", question_id=question_id, question="?", against=against, variant=variant
    )


def trial() -> TrialReport:
    """A question asked alike, one asked in other words, and one answered otherwise."""
    prompt = shipped_prompt("expand")
    pairs = [
        pair("alike", outcome("a", "my goals"), outcome("a", "my goals")),
        pair("worded", outcome("a", "my goals", "dates"), outcome("a", "dates", "aims", "plans")),
        pair("answered", outcome("a", "my goals"), outcome("b", "aims")),
    ]
    counts = AnswerCounts(), AnswerCounts()
    return TrialReport(prompts=(prompt, prompt), model="m", pairs=pairs, counts=counts)


def test_the_document_has_every_question_with_its_verdict_and_both_lists_of_queries() -> None:
    rows = trial().document()["by_question"]

    assert [(row["question_id"], row["verdict"]) for row in rows] == [
        ("alike", "tied"),
        ("worded", "tied"),
        ("answered", "tied"),
    ]
    texts = [
        [query["text"] for query in rows[1][side]["queries"]] for side in ("against", "variant")
    ]
    assert texts == [["my goals", "dates"], ["dates", "aims", "plans"]]

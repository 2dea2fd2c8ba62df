"""What a trial of two prompts has cost, and what each of them wrote for a question."""

from collections.abc import Sequence

import pytest

from secondhop.evals.answers import Answer, WrittenQuery
from secondhop.evals.measures import MEASURES
from secondhop.evals.trial_report import Pair, TrialReport
from secondhop.graph.result import Spent
from secondhop.models.answer_cache import AnswerCounts
from secondhop.models.llm import Usage
from secondhop.models.prices import TokenPrice
from secondhop.prompts.templates import shipped_prompt

PRICE = TokenPrice(input=2.0, cached_input=0.5, output=8.0)
PAID = (
    Usage(calls=3, prompt_tokens=10_000, cached_tokens=4_000, completion_tokens=1_000),
    Usage(calls=2, prompt_tokens=5_000, completion_tokens=500),
)
"""6,000 · $2 + 4,000 · $0.50 + 1,000 · $8 = $0.022 and 5,000 · $2 + 500 · $8 = $0.014, of 10^6."""


def answer(*queries: str, ids: Sequence[str] = ("a",), cost_usd: float | None = None) -> Answer:
    spent = Spent(llm_calls=3, prompt_tokens=900, completion_tokens=100, cost_usd=cost_usd)
    written = [WrittenQuery(facet="own plan", text=text, origin="expand") for text in queries]
    return Answer(question="?", ids=[*ids], queries=written, spent=spent)


def pair(question_id: str, against: Answer, variant: Answer, *recalls: float) -> Pair:
    before, after = (
        {**dict.fromkeys(MEASURES, 0.5), "facet_recall": recall} for recall in recalls or (0.5, 0.5)
    )
    return Pair(
        scenario="s",
        question_id=question_id,
        against=against,
        variant=variant,
        measures=(before, after),
    )


def trial(*pairs: Pair) -> TrialReport:
    prompt = shipped_prompt("expand")
    against, variant = (AnswerCounts(asked=paid.calls, paid=paid) for paid in PAID)
    return TrialReport(
        prompts=(prompt, prompt), model="m", pairs=pairs, counts=(against, variant), price=PRICE
    )


def test_a_priced_trial_tells_what_each_side_was_paid_and_what_its_recalls_cost() -> None:
    document = trial(
        *(pair(f"q{cost}", answer(cost_usd=cost), answer(cost_usd=cost)) for cost in (0.003, 0.005))
    ).document()

    paid = {side: document["answers"][side]["paid"]["cost_usd"] for side in ("against", "variant")}
    assert paid == {"against": pytest.approx(0.022), "variant": pytest.approx(0.014)}
    spent = [document["spent"][side]["cost_usd"] for side in ("against", "variant")]
    assert spent == [pytest.approx(0.008)] * 2


def test_every_question_has_its_verdict_and_both_lists_of_queries() -> None:
    rows = trial(
        pair("worded", answer("goals", "dates"), answer("dates", "aims")),
        pair("better", answer("goals"), answer("aims", ids=["b"]), 0.5, 1.0),
        pair("worse", answer("goals"), answer("aims", ids=["c"]), 0.5, 0.0),
    ).document()["by_question"]

    assert [(row["question_id"], row["verdict"]) for row in rows] == [
        ("worded", "tied"),
        ("better", "won"),
        ("worse", "lost"),
    ]
    texts = [
        [query["text"] for query in rows[0][side]["queries"]] for side in ("against", "variant")
    ]
    assert texts == [["goals", "dates"], ["dates", "aims"]]

"""What a trial of two prompts has cost, in the document and in words."""

import pytest

from secondhop.evals.prompt_trial import Outcome, Pair
from secondhop.evals.trial_report import TrialReport
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


def outcome(cost_usd: float | None) -> Outcome:
    spent = Spent(llm_calls=3, prompt_tokens=900, completion_tokens=100, cost_usd=cost_usd)
    return Outcome(ids=["a"], measures={}, queries=[], spent=spent, degraded=[])


def trial(price: TokenPrice | None, *cost_usd: float | None) -> TrialReport:
    """Two questions whose recalls cost the same with either variant."""
    prompt = shipped_prompt("expand")
    pairs = [
        Pair(
            scenario="s", question_id=f"q{n}", question="?", against=outcome(c), variant=outcome(c)
        )
        for n, c in enumerate(cost_usd)
    ]
    against, variant = (AnswerCounts(asked=paid.calls, paid=paid) for paid in PAID)
    return TrialReport(
        prompts=(prompt, prompt), model="m", pairs=pairs, counts=(against, variant), price=price
    )


def test_a_priced_trial_tells_what_each_side_was_paid_and_what_its_recalls_cost() -> None:
    document = trial(PRICE, 0.003, 0.005).document()

    paid = {side: document["answers"][side]["paid"]["cost_usd"] for side in ("against", "variant")}
    assert paid == {"against": pytest.approx(0.022), "variant": pytest.approx(0.014)}
    spent = [document["spent"][side]["cost_usd"] for side in ("against", "variant")]
    assert spent == [pytest.approx(0.008)] * 2

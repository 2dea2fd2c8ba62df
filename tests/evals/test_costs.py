"""What recalls cost, summed up."""

import pytest

from secondhop.evals.costs import costs_of
from secondhop.graph.result import Spent


def test_the_mean_recall_and_the_slow_ones() -> None:
    spent = [
        Spent(llm_calls=n, prompt_tokens=100, completion_tokens=10 * n, cost_usd=0.01)
        for n in range(20)
    ]

    costs = costs_of(spent, [10.0] * 18 + [20.0, 400.0])

    assert costs.ms == pytest.approx(30)
    assert costs.ms_median == 10
    assert 20 <= costs.ms_p95 < 400
    assert costs.llm_calls == pytest.approx(9.5)
    assert costs.tokens == pytest.approx(195)
    assert costs.cost_usd == pytest.approx(0.01)


def test_a_price_that_one_recall_lacks_is_unknown_of_all() -> None:
    assert costs_of([Spent(cost_usd=0.1), Spent()], [1.0, 1.0]).cost_usd is None

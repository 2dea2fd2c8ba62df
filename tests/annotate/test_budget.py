"""What a run may spend."""

from secondhop.annotate.budget import RunBudget
from secondhop.models.llm import Usage
from secondhop.models.prices import TokenPrice


def test_dollars_are_held_like_tokens() -> None:
    price = TokenPrice(input=1.0, output=10.0)
    budget = RunBudget(max_usd=0.002, price=price)

    first = budget.hold(prompt=400, reply=100)
    assert first is not None
    budget.settle(first, Usage(calls=1, prompt_tokens=500, completion_tokens=100))

    assert budget.hold(prompt=400, reply=100) is None


def test_what_is_under_way_counts_until_it_is_settled() -> None:
    budget = RunBudget(max_tokens=1_000)

    first = budget.hold(prompt=400, reply=100)
    assert first is not None
    assert budget.hold(prompt=400, reply=100) is None

    budget.settle(first, Usage(calls=1, prompt_tokens=200, completion_tokens=50))
    assert budget.hold(prompt=400, reply=100) is not None

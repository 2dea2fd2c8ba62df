"""The cost of an evaluation's recalls: time, model calls, tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from secondhop.evals.answers import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """The cost of one recall; a mean, unless the field says otherwise."""

    ms: float
    """Wall time; with several questions at once, that of a busy machine."""
    ms_median: float
    ms_p95: float
    """95th percentile."""
    llm_calls: float
    tokens: float
    """Prompt and completion tokens of the language model."""
    cost_usd: float | None
    """None if the model's price is unknown."""


def costs_of(answers: Sequence[Answer]) -> Costs:
    """The costs of the recalls that gave these answers."""
    times, spent = [one.ms for one in answers], [one.spent for one in answers]
    prices = [one.cost_usd for one in spent if one.cost_usd is not None]
    return Costs(
        ms=fmean(times),
        ms_median=float(np.median(times)),
        ms_p95=float(np.percentile(times, 95)),
        llm_calls=fmean(one.llm_calls for one in spent),
        tokens=fmean(one.prompt_tokens + one.completion_tokens for one in spent),
        cost_usd=fmean(prices) if len(prices) == len(spent) else None,
    )

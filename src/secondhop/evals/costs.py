"""The cost of an evaluation's recalls: time, model calls, tokens."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from secondhop.graph.result import Spent


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


NOTHING = Costs(ms=0, ms_median=0, ms_p95=0, llm_calls=0, tokens=0, cost_usd=None)


def costs_of(spent: Iterable[Spent], times_ms: Iterable[float]) -> Costs:
    """The costs of these recalls; NOTHING without recalls.

    Args:
        times_ms: the wall time of each.
    """
    rows, times = list(spent), list(times_ms)
    if not rows or not times:
        return NOTHING
    prices = [one.cost_usd for one in rows if one.cost_usd is not None]
    return Costs(
        ms=fmean(times),
        ms_median=float(np.median(times)),
        ms_p95=float(np.percentile(times, 95)),
        llm_calls=fmean(one.llm_calls for one in rows),
        tokens=fmean(one.prompt_tokens + one.completion_tokens for one in rows),
        cost_usd=fmean(prices) if len(prices) == len(rows) else None,
    )

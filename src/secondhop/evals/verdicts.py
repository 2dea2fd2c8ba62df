"""Which answer is better: the one that serves more facets, or as many in a better order."""

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from secondhop.evals.comparison import SAME

DECIDING = ("facet_recall", "alpha_ndcg")
"""The first of these measures that differs decides; higher is better in both."""

Verdict: TypeAlias = Literal["won", "lost", "tied"]


def verdict_of(before: Mapping[str, float], after: Mapping[str, float]) -> Verdict:
    """Whether `after` is better.

    >>> verdict_of({"facet_recall": 0.5, "alpha_ndcg": 0.9}, {"facet_recall": 0.6, "alpha_ndcg": 0})
    'won'
    """
    gains = (after[name] - before[name] for name in DECIDING)
    decisive = next((gain for gain in gains if abs(gain) > SAME), 0.0)
    return "tied" if decisive == 0 else "won" if decisive > 0 else "lost"


def tally(verdicts: Iterable[Verdict]) -> dict[Verdict, int]:
    """How many there are of each."""
    given = list(verdicts)
    return {"won": given.count("won"), "lost": given.count("lost"), "tied": given.count("tied")}

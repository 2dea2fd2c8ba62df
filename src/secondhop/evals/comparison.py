"""Two systems on the same questions: what differs, how much, and whether that may be chance."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from secondhop.evals.measures import Measures
from secondhop.evals.significance import Interval, paired_interval, randomisation_p

Rows: TypeAlias = Mapping[str, Mapping[str, float]]
"""{question id: {measure: value}}."""

COSTS = ("ms", "llm_calls", "tokens")
"""Compared only where both systems are recalls."""

LOWER_IS_BETTER = frozenset({"redundancy", "stale_rate", *COSTS})

SAME = 1e-9
"""Smaller differences come of adding in another order."""


def p_shown(p: float) -> str:
    """A p for people, never "0.000".

    >>> p_shown(0.0213), p_shown(0.0001)
    ('0.021', '<0.001')
    """
    return "<0.001" if p < 0.001 else f"{p:.3f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One measure of both systems; means of the scenarios' means."""

    measure: str
    ours: float
    theirs: float
    interval: Interval
    """Of ours less theirs."""
    p: float
    """Of the randomisation test, two-sided, for this measure alone."""
    wins: int
    """Questions in which ours is better."""
    ties: int
    losses: int

    def document(self) -> dict[str, float]:
        """For `--json`."""
        return {
            "ours": self.ours,
            "theirs": self.theirs,
            **asdict(self.interval),
            "p": self.p,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Ours against another system or other settings."""

    against: str
    differences: Sequence[Difference]
    gains: Mapping[str, Mapping[str, Measures]]
    """{scenario: {question id: {measure: ours less theirs}}}."""

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "against": self.against,
            "measures": {one.measure: one.document() for one in self.differences},
            "questions": self.gains,
        }


def compared(
    against: str, ours: Mapping[str, Rows], theirs: Mapping[str, Rows], *, first: Iterable[str] = ()
) -> Comparison:
    """Two systems over the same scenarios.

    Args:
        ours, theirs: by scenario, the same ones; questions that only one has are left out.
        first: measures that come first, in this order; the others follow as they come.
    """
    pairs = {
        name: {one: (rows[one], theirs[name][one]) for one in rows if one in theirs[name]}
        for name, rows in ours.items()
    }
    strata = [list(rows.values()) for rows in pairs.values() if rows]
    return Comparison(
        against=against,
        differences=[difference(name, strata) for name in shared_measures(strata, first=first)],
        gains={
            name: {one: {m: a[m] - b[m] for m in a if m in b} for one, (a, b) in rows.items()}
            for name, rows in pairs.items()
        },
    )


Pair: TypeAlias = tuple[Mapping[str, float], Mapping[str, float]]


def shared_measures(strata: Sequence[Sequence[Pair]], *, first: Iterable[str]) -> list[str]:
    """Those that both systems have of every question."""
    rows = [row for stratum in strata for pair in stratum for row in pair]
    if not rows:
        return []
    everywhere = [name for name in rows[0] if all(name in row for row in rows)]
    return list(dict.fromkeys([*(name for name in first if name in everywhere), *everywhere]))


def difference(measure: str, strata: Sequence[Sequence[Pair]]) -> Difference:
    """One measure over all questions; each stratum counts the same."""
    differences = [[a[measure] - b[measure] for a, b in stratum] for stratum in strata]
    sign = -1.0 if measure in LOWER_IS_BETTER else 1.0
    gains = [sign * one for row in differences for one in row]
    means = [
        sum(sum(pair[side][measure] for pair in stratum) / len(stratum) for stratum in strata)
        / len(strata)
        for side in (0, 1)
    ]
    return Difference(
        measure=measure,
        ours=means[0],
        theirs=means[1],
        interval=paired_interval(differences),
        p=randomisation_p(differences),
        wins=sum(gain > SAME for gain in gains),
        ties=sum(abs(gain) <= SAME for gain in gains),
        losses=sum(gain < -SAME for gain in gains),
    )

"""Settings that are chosen on some scenarios and reported on another: leave one out.

A figure over the scenarios that chose a setting flatters it. Here each scenario is left out in
turn, the choice is made on all others, and what counts is how the chosen setting does on the one
that was left out. Stone, Cross-Validatory Choice, JRSS B 36, 1974,
doi:10.1111/j.2517-6161.1974.tb00994.x.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from secondhop.errors import UsageError
from secondhop.evals.comparison import Comparison, Rows, compared
from secondhop.evals.measures import mean_of

PENALTY = 0.5
"""What an answer that only repeats, or is only stale, loses."""

OBJECTIVE = "objective"
"""Among the measures of a question."""

DEFAULTS = "defaults"
"""The setting that was not chosen."""

Grid: TypeAlias = Mapping[str, Mapping[str, Rows]]
"""{setting: {scenario: {question id: measures}}}, the defaults first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What choosing is worth, and what all scenarios together would choose."""

    by_others: Mapping[str, str]
    """{scenario left out: the setting that the others chose}."""
    comparison: Comparison
    """Of the settings chosen by the others with the defaults, on what was left out: the result."""
    to_use: str
    """Chosen on all scenarios. There is no honest figure of this one."""


def chosen_of(grid: Grid) -> Chosen:
    """Choose, leaving each scenario out in turn; the defaults win ties.

    Raises:
        UsageError: there are fewer than two scenarios.
    """
    scored = {
        setting: {name: with_objective(rows) for name, rows in by_scenario.items()}
        for setting, by_scenario in grid.items()
    }
    names = list(scored[DEFAULTS])
    if len(names) < 2:
        raise UsageError(
            "choosing needs at least two scenarios: one is left out to report on, and a figure "
            "over the scenario that chose a setting is no result; add a scenario"
        )
    by_others = {left: best(scored, [one for one in names if one != left]) for left in names}
    return Chosen(
        by_others=by_others,
        comparison=compared(
            "the defaults",
            {name: scored[setting][name] for name, setting in by_others.items()},
            scored[DEFAULTS],
            first=[OBJECTIVE],
        ),
        to_use=best(scored, names),
    )


def best(scored: Grid, names: Sequence[str]) -> str:
    """The setting whose mean objective over these scenarios is greatest; the first of the best."""

    def worth(setting: str) -> float:
        rows = scored[setting]
        return round(fmean(mean_of(rows[name].values())[OBJECTIVE] for name in names), 12)

    return max(scored, key=worth)


def with_objective(rows: Rows) -> Rows:
    """With what the choice is made by: alpha_ndcg - 0.5 · redundancy - 0.5 · stale_rate."""
    return {
        one: {
            **row,
            OBJECTIVE: row["alpha_ndcg"] - PENALTY * (row["redundancy"] + row["stale_rate"]),
        }
        for one, row in rows.items()
    }

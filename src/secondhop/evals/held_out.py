"""Settings that are chosen on some scenarios and reported on another: leave one out.

A figure over the scenarios that chose a setting flatters it. Here each scenario is left out in
turn, the choice is made on all others, and what counts is how the chosen setting does on the one
that was left out. Stone, Cross-Validatory Choice, JRSS B 36, 1974,
doi:10.1111/j.2517-6161.1974.tb00994.x.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Generic, TypeAlias, TypeVar

from secondhop.errors import UsageError
from secondhop.evals.measures import Measures

S = TypeVar("S")
"""A setting, whatever it is."""
N = TypeVar("N")
"""A scenario, whatever it is."""

Score: TypeAlias = Callable[[S, N], Awaitable[Measures]]
"""What a setting reaches on a scenario."""

Objective: TypeAlias = Callable[[Measures], float]
"""What is to be as great as can be."""

FEWEST = 2
"""Scenarios; with fewer nothing is left to report on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold(Generic[S]):
    """One scenario left out."""

    left_out: str
    chosen: S
    """By the other scenarios."""
    training: Measures
    """Of the chosen setting, mean of the scenarios that chose it: flattering."""
    held_out: Measures
    """Of the chosen setting on the scenario that was left out."""
    default: Measures
    """Of the setting that nobody had to choose, on the scenario that was left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutTable(Generic[S]):
    """What choosing is worth, and what all scenarios together would choose."""

    folds: Sequence[Fold[S]]
    to_use: S
    """Chosen on all scenarios: the setting to ship. There is no honest figure of it here: its own
    scenarios chose it. The figures of this way to choose are those of `result`."""

    def result(self) -> Measures:
        """The figures to report: mean of the scenarios that were left out."""
        return averaged([fold.held_out for fold in self.folds])

    def default(self) -> Measures:
        """Without choosing anything; a choice that is not above it was for nothing."""
        return averaged([fold.default for fold in self.folds])

    def training(self) -> Measures:
        """Not a result: how well the choices did where they were made."""
        return averaged([fold.training for fold in self.folds])

    def optimism(self) -> Measures:
        """Training less held-out figures: what a training figure would have promised too much."""
        held_out = self.result()
        return {name: value - held_out[name] for name, value in self.training().items()}

    def document(self, *, written: Callable[[S], object] = str) -> dict[str, Any]:
        """For `--json`.

        Args:
            written: how a setting is written.
        """
        return {
            "held_out": self.result(),
            "default": self.default(),
            "training": self.training(),
            "optimism": self.optimism(),
            "to_use": written(self.to_use),
            "folds": [
                {
                    "left_out": fold.left_out,
                    "chosen": written(fold.chosen),
                    "held_out": fold.held_out,
                    "default": fold.default,
                    "training": fold.training,
                }
                for fold in self.folds
            ],
        }


async def choose(
    settings: Sequence[S],
    scenarios: Mapping[str, N],
    score: Score[S, N],
    *,
    objective: Objective,
    progress: Callable[[int, int], None] | None = None,
) -> HeldOutTable[S]:
    """Choose among settings, leaving each scenario out in turn.

    Every setting is scored once on every scenario.

    Args:
        settings: the first is the default, and wins ties; then the earlier ones.
        scenarios: by name.
        progress: hears (scored, to score).

    Raises:
        UsageError: there are fewer than two scenarios, or no setting.
    """
    expect_something_left(scenarios, settings)
    grid: list[dict[str, Measures]] = []
    total = len(settings) * len(scenarios)
    for setting in settings:
        row: dict[str, Measures] = {}
        for name, scenario in scenarios.items():
            row[name] = await score(setting, scenario)
            if progress:
                progress(len(grid) * len(scenarios) + len(row), total)
        grid.append(row)
    return chosen_from(settings, grid, objective=objective)


def chosen_from(
    settings: Sequence[S], grid: Sequence[Mapping[str, Measures]], *, objective: Objective
) -> HeldOutTable[S]:
    """As `choose`, from figures.

    Args:
        grid: what each setting reaches, by scenario.

    Raises:
        UsageError: there are fewer than two scenarios, or no setting.
    """
    names = list(grid[0]) if grid else []
    expect_something_left(names, settings)
    folds: list[Fold[S]] = []
    for left_out in names:
        others = [name for name in names if name != left_out]
        best = best_row(grid, others, objective=objective)
        folds.append(
            Fold(
                left_out=left_out,
                chosen=settings[best],
                training=averaged([grid[best][name] for name in others]),
                held_out=grid[best][left_out],
                default=grid[0][left_out],
            )
        )
    to_use = settings[best_row(grid, names, objective=objective)]
    return HeldOutTable(folds=folds, to_use=to_use)


async def choose_by(
    search: Callable[[Mapping[str, N]], Awaitable[S]],
    scenarios: Mapping[str, N],
    score: Score[S, N],
    *,
    default: S,
) -> HeldOutTable[S]:
    """As `choose`, for an optimiser that looks for a setting by itself.

    Args:
        search: finds a setting with the scenarios it is given and sees no other; it is called
            once a scenario left out, and once with all.

    Raises:
        UsageError: there are fewer than two scenarios.
    """
    expect_something_left(scenarios, [default])
    folds: list[Fold[S]] = []
    for left_out, scenario in scenarios.items():
        others = {name: one for name, one in scenarios.items() if name != left_out}
        found = await search(others)
        folds.append(
            Fold(
                left_out=left_out,
                chosen=found,
                training=averaged([await score(found, one) for one in others.values()]),
                held_out=await score(found, scenario),
                default=await score(default, scenario),
            )
        )
    return HeldOutTable(folds=folds, to_use=await search(scenarios))


def expect_something_left(
    scenarios: Sequence[str] | Mapping[str, object], settings: Sequence[object]
) -> None:
    """Raises UsageError when no scenario, or no setting, can be left out and chosen."""
    if len(scenarios) < FEWEST:
        raise UsageError(
            "choosing needs at least two scenarios: one is left out to report on, and a figure "
            "over the scenario that chose a setting is no result; add a scenario"
        )
    if not settings:
        raise UsageError("there is no setting to choose from")


def best_row(
    grid: Sequence[Mapping[str, Measures]], names: Sequence[str], *, objective: Objective
) -> int:
    """The row whose mean objective over these scenarios is greatest; the first of the best."""
    return max(
        range(len(grid)),
        key=lambda row: (fmean(objective(grid[row][name]) for name in names), -row),
    )


def averaged(rows: Sequence[Measures]) -> Measures:
    """The mean of every measure that all rows have."""
    names = [name for name in rows[0] if all(name in row for row in rows)] if rows else []
    return {name: fmean(row[name] for row in rows) for name in names}

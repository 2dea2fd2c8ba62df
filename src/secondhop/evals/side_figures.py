"""What stands beside the measures: how different results are, and how far they reach."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from statistics import fmean

from secondhop.evals.report import ScenarioReport, by_system
from secondhop.evals.second_hop import SecondHop
from secondhop.evals.system_run import SystemRun

SIDE_FIGURES = ("overlap", "jaccard", "distance", "second_hop")
"""In the order of a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideFigures:
    """Of one system over some scenarios."""

    overlap: float | None
    """Mean of the scenarios; None where no two questions were asked."""
    jaccard: float | None
    distance: float | None
    second_hop: SecondHop
    """Summed over the scenarios."""


def side_figures(reports: Sequence[ScenarioReport]) -> Mapping[str, SideFigures]:
    """{system: its figures over all scenarios}."""
    return {name: figures_of(runs) for name, runs in by_system(reports).items()}


def figures_of(runs: Sequence[SystemRun]) -> SideFigures:
    """Of one system."""
    overlaps = [overlap for run in runs if (overlap := run.overlap())]
    return SideFigures(
        overlap=mean_or_none(one.overlap for one in overlaps),
        jaccard=mean_or_none(one.jaccard for one in overlaps),
        distance=mean_or_none(one for run in runs if (one := run.distance()) is not None),
        second_hop=reduce(add, (run.second_hop() for run in runs), SecondHop()),
    )


def mean_or_none(values: Iterable[float]) -> float | None:
    """Their mean; None of nothing."""
    known = list(values)
    return fmean(known) if known else None

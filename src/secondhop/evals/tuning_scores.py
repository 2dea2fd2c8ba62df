"""What settings are worth: the objective, and every measurement made once."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Generic, TypeAlias, TypeVar

from secondhop.evals.measures import Measures, mean_of
from secondhop.evals.tuning_dials import Turned

N = TypeVar("N")
"""What is measured: a scenario, or a part of its questions."""

PENALTY = 0.5
"""What a wholly repetitive, or wholly stale, answer loses. Alpha-nDCG gives such memories nothing;
this takes something from it besides, because they mislead."""

OBJECTIVE = "objective"
"""Among the measures of a question."""

DEFAULTS: Turned = ()

QuestionRows: TypeAlias = dict[str, Measures]
"""{question id: its measures, the objective among them}."""

Ask: TypeAlias = Callable[[Turned, N], Awaitable[Mapping[str, Measures]]]
"""{question id: measures} that settings reach."""


def objective(measures: Mapping[str, float]) -> float:
    """alpha_ndcg - 0.5 · redundancy - 0.5 · stale_rate.

    >>> objective({"alpha_ndcg": 0.6, "redundancy": 0.1, "stale_rate": 0.0})
    0.55
    """
    repeated, stale = measures["redundancy"], measures["stale_rate"]
    return round(measures["alpha_ndcg"] - PENALTY * (repeated + stale), 12)


@dataclass(slots=True)
class Scores(Generic[N]):
    """Asks every setting once a part, and remembers."""

    ask: Ask[N]
    parts: Mapping[str, N]
    expected: int
    """Measurements to come, about."""
    progress: Callable[[int, int], None] | None = None
    rows: dict[tuple[Turned, str], QuestionRows] = field(
        default_factory=dict[tuple[Turned, str], QuestionRows]
    )

    async def of(self, setting: Turned, name: str) -> Measures:
        """The mean over the questions of one part."""
        key = (setting, name)
        if key not in self.rows:
            found = await self.ask(setting, self.parts[name])
            self.rows[key] = {one: {**row, OBJECTIVE: objective(row)} for one, row in found.items()}
            if self.progress:
                self.progress(len(self.rows), max(self.expected, len(self.rows)))
        return mean_of(self.rows[key].values())

    async def worth(self, setting: Turned, *, names: Sequence[str]) -> float:
        """The mean objective over parts; each counts the same."""
        return fmean([(await self.of(setting, name))[OBJECTIVE] for name in names])

    def complete(self, settings: Sequence[Turned]) -> list[Turned]:
        """Those that were measured everywhere."""
        return [one for one in settings if all((one, name) in self.rows for name in self.parts)]

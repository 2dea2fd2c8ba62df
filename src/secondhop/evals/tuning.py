"""Settings tuned on labelled scenarios, and what tuning was worth where it had not looked.

Half of the settings are drawn without looking at a label and measured everywhere. Then each
scenario is left out in turn: an optimiser goes on from those figures of the other scenarios alone,
and what it finds is measured on the one left out. That is the result. Last it searches with all
scenarios for the settings to use.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from secondhop.errors import UsageError
from secondhop.evals.comparison import Comparison, Difference, compared
from secondhop.evals.held_out import HeldOutTable, choose_by, chosen_from
from secondhop.evals.measures import mean_of
from secondhop.evals.tuning_dials import Turned, changes_of
from secondhop.evals.tuning_scores import DEFAULTS, OBJECTIVE, Ask, Scores
from secondhop.evals.tuning_search import drawn, searched

N = TypeVar("N")
"""What is measured: a scenario, or a part of its questions."""

SURE = 0.05
"""p below which a gain counts as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """What was found; `result` is the only figure to tell others."""

    table: HeldOutTable[Turned]
    comparison: Comparison
    """Of the tuned settings, on what was left out, with the defaults there."""
    measured: int
    """Settings that were tried anywhere."""
    by_question: bool
    """True: parts of one scenario were left out."""
    interrupted: bool

    @property
    def gain(self) -> Difference:
        """Of the objective."""
        return next(one for one in self.comparison.differences if one.measure == OBJECTIVE)

    @property
    def better(self) -> bool:
        """Whether tuning was worth it where it had not looked, and that is hardly chance."""
        return self.gain.interval.difference > 0 and self.gain.p < SURE and bool(self.table.to_use)

    def file(self) -> dict[str, Any]:
        """The settings to use, as `--settings FILE` reads them."""
        return {"ranking": changes_of(self.table.to_use)}

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "result": self.table.result(),
            "defaults": self.table.default(),
            "training": self.table.training(),
            "gain": self.gain.document(),
            "better": self.better,
            "left_out": "questions" if self.by_question else "scenarios",
            "settings": self.file(),
            "measured": self.measured,
            "interrupted": self.interrupted,
            "folds": self.table.document(written=changes_of)["folds"],
        }


async def tuned(
    parts: Mapping[str, N],
    ask: Ask[N],
    *,
    trials: int,
    seed: int = 0,
    by_question: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Tuning:
    """Search settings, leaving each part out in turn.

    Cancelled once, it ends in order with a choice among the settings that were drawn without
    looking at a label and are measured everywhere by then: leaving out is as honest for these.

    Args:
        trials: settings to try a search; half of them are the same for all searches.
        progress: hears (measured, to measure).

    Raises:
        UsageError: there are fewer than two parts, or it was cancelled before the first settings
            were measured everywhere.
        TuneExtraMissingError: Optuna is not installed.
    """
    blind = [DEFAULTS, *drawn(max(1, trials // 2), seed=seed)]
    rest = max(0, trials - len(blind) + 1)
    leaving = len(parts) - 1
    expected = len(blind) * len(parts) + rest * (len(parts) * leaving + len(parts)) + leaving + 1
    scores = Scores(ask, parts, expected, progress)
    work = partial(search_from, blind, scores=scores, count=rest, seed=seed)
    interrupted = False
    try:
        table = await whole_table(blind, parts, scores, search=work)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or len(scores.complete(blind)) < 2:
            raise
        task.uncancel()
        table, interrupted = blind_table(scores.complete(blind), scores), True
    return Tuning(
        table=table,
        comparison=compared_with_defaults(table, scores),
        measured=len({setting for setting, _ in scores.rows}),
        by_question=by_question,
        interrupted=interrupted,
    )


async def whole_table(
    blind: Sequence[Turned],
    parts: Mapping[str, N],
    scores: Scores[N],
    *,
    search: Callable[[Mapping[str, str]], Awaitable[Turned]],
) -> HeldOutTable[Turned]:
    """Everything in order; the drawn settings come first, so that an early end has a result."""
    for setting in blind if len(parts) > 1 else ():
        for name in parts:
            await scores.of(setting, name)
    names = {name: name for name in parts}
    return await choose_by(search, names, scores.of, default=DEFAULTS)


async def search_from(
    blind: Sequence[Turned],
    names: Mapping[str, str],
    *,
    scores: Scores[N],
    count: int,
    seed: int,
) -> Turned:
    """The best that these parts know of; the defaults win ties."""
    value = partial(scores.worth, names=list(names))
    known = {setting: await value(setting) for setting in blind}
    found = await searched(known, value, count=count, seed=seed)
    worth = {**known, **{setting: await value(setting) for setting in found}}
    return max(worth, key=lambda setting: worth[setting])


def blind_table(settings: Sequence[Turned], scores: Scores[N]) -> HeldOutTable[Turned]:
    """A choice among settings that no label had a part in."""
    grid = [
        {name: mean_of(scores.rows[setting, name].values()) for name in scores.parts}
        for setting in settings
    ]
    return chosen_from(settings, grid, objective=lambda measures: measures[OBJECTIVE])


def compared_with_defaults(table: HeldOutTable[Turned], scores: Scores[N]) -> Comparison:
    """Question by question, each with the settings that were chosen without it."""
    ours = {fold.left_out: scores.rows[fold.chosen, fold.left_out] for fold in table.folds}
    theirs = {fold.left_out: scores.rows[DEFAULTS, fold.left_out] for fold in table.folds}
    return compared("the defaults", ours, theirs, first=[OBJECTIVE])


def expect_parts(questions: int) -> None:
    """Raises UsageError when one scenario has too few questions to leave any out."""
    if questions < 2:
        raise UsageError(
            "tuning needs at least two scenarios, or one of two questions: some are left out to "
            "report on, and a figure over the questions that chose a setting is no result"
        )

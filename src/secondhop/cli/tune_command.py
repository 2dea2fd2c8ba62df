"""`secondhop eval tune`: which of some settings are best on labelled scenarios."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.eval_options import Out
from secondhop.cli.options import Common
from secondhop.errors import UsageError

if TYPE_CHECKING:
    from secondhop.evals.held_out import Chosen, Grid
    from secondhop.evals.scenario import Scenario

MOST = 64
"""Settings; each is asked every question."""

SURE = 0.05
"""p below which a gain counts."""


def tune(
    common: Common,
    folders: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Scenario folders.")],
    tries: Annotated[
        list[str],
        typer.Option(
            "--try", metavar="NAME=V,V", help="Values to try of a setting; may be repeated."
        ),
    ],
    out: Out = None,
) -> None:
    """Choose among settings on labelled scenarios.

    Writes a file for --settings. The result is of scenarios that were left out of the choice.
    """
    from secondhop.cli.comparison_view import show_comparison
    from secondhop.cli.eval_commands import load_scenarios
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import notices, print_json, screen
    from secondhop.cli.writing import expect_writable, write_yaml
    from secondhop.evals.held_out import DEFAULTS, chosen_of
    from secondhop.evals.significance import expect_statistics

    expect_statistics()
    expect_writable([out])
    grid = run(measured_grid(load_scenarios(folders), combinations(tries), common))
    found = chosen_of(grid)
    if common.json:
        print_json(document(found))
    else:
        for name, setting in found.by_others.items():
            screen().print(f"{name} left out, the others choose: {setting}", soft_wrap=True)
        show_comparison(found.comparison, screen())
        screen().print(f"all together choose: {found.to_use}", soft_wrap=True)
    if not is_better(found):
        notices().print("keep the defaults: nothing is surely better on what was left out")
    elif out is not None and found.to_use != DEFAULTS:
        settings = dict(change.split("=", 1) for change in found.to_use.split(", "))
        note = "written by `secondhop eval tune`; use it with --settings"
        write_yaml(out, settings, note=note)


def combinations(tries: Sequence[str]) -> list[list[str]]:
    """Every combination of the values, as changes; [] first, the defaults.

    >>> combinations(["a.b=1,2"])
    [[], ['a.b=1'], ['a.b=2']]

    Raises:
        UsageError: one has another form, or there are too many.
    """
    choices: list[list[str]] = []
    for one in tries:
        name, equals, values = one.partition("=")
        if not name or not equals or not values:
            raise UsageError(f"{one!r} tries nothing; write NAME=V,V, as ranking.min_score=0.3,0.4")
        choices.append([f"{name.strip()}={value.strip()}" for value in values.split(",")])
    found = [list(changes) for changes in product(*choices)]
    if len(found) > MOST:
        raise UsageError(f"that makes {len(found)} settings; try at most {MOST} at once")
    return [[], *found]


async def measured_grid(
    scenarios: "Sequence[Scenario]", settings: Sequence[Sequence[str]], common: Common
) -> "Grid":
    """Every setting on every scenario."""
    from secondhop.cli.eval_bench import eval_bench
    from secondhop.cli.opening import settings_of
    from secondhop.evals.comparison import Rows
    from secondhop.evals.held_out import DEFAULTS
    from secondhop.evals.scenarios import Asking
    from secondhop.evals.setting_changes import changed_settings
    from secondhop.settings import load_settings

    shipped = settings_of(common, load_settings()).flat()
    wanted = [(changes, changed_settings(shipped, changes)) for changes in settings]
    grid: dict[str, dict[str, Rows]] = {}
    async with eval_bench(common) as bench:
        for scenario in scenarios:
            for changes, own in wanted:
                report = await bench.run(scenario, settings=own, asking=Asking(baselines=False))
                rows = grid.setdefault(", ".join(changes) or DEFAULTS, {})
                rows[scenario.name] = report.questions
    return grid


def is_better(found: "Chosen") -> bool:
    """Whether choosing gained something where it had not looked, and that is hardly chance."""
    gain = found.comparison.differences[0]
    return gain.interval.difference > 0 and gain.p < SURE


def document(found: "Chosen") -> dict[str, object]:
    """For `--json`."""
    return {
        "chosen": dict(found.by_others),
        "to_use": found.to_use,
        "better": is_better(found),
        **found.comparison.document(),
    }

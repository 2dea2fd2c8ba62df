"""`secondhop eval hubs`: how much a few memories get of every result."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from secondhop.cli.eval_options import ScenarioFolders
from secondhop.cli.options import Common

if TYPE_CHECKING:
    from secondhop.evals.hub_report import HubReport
    from secondhop.evals.scenario import Scenario
    from secondhop.nodes.services import HubStanding


def hubs(
    common: Common,
    folders: ScenarioFolders = None,
) -> None:
    """Show hub concentration before and after its correction.

    Skewness of how often a memory is found, what the most found hundredth takes of all places,
    and how much the answers to two questions share.
    """
    from secondhop.cli.eval_commands import load_scenarios
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import print_json
    from secondhop.evals.shipped import shipped_scenarios

    reports = run(hub_reports(common, load_scenarios(folders or shipped_scenarios())))
    if common.json:
        print_json({one.scenario: one.document() for one in reports})
    else:
        show_hubs(reports)


async def hub_reports(common: Common, scenarios: "Sequence[Scenario]") -> "list[HubReport]":
    """One report a scenario, offline, from a throwaway store."""
    from dataclasses import replace

    from secondhop.cli.eval_bench import CACHE
    from secondhop.cli.opening import OFFLINE, kept_embeddings, opened, throwaway
    from secondhop.errors import UsageError
    from secondhop.evals.hub_report import hub_report
    from secondhop.evals.scenarios import store_scenario
    from secondhop.nodes.planning.playbook import PlaybookPlanner

    found: list[HubReport] = []
    with (
        throwaway(replace(common, llm=OFFLINE)) as place,
        kept_embeddings(common, CACHE) as embedder,
    ):
        for one in scenarios:
            async with opened(place, entity=one.name, embedder=embedder, counting=True) as recall:
                await store_scenario(one, recall)
                await recall.awarm()
                planner = recall.services.offline_planner
                bank = planner.questions if isinstance(planner, PlaybookPlanner) else None
                if bank is None or len(bank) < 2:
                    raise UsageError("there are no background questions to count with")
                found.append(await hub_report(one, recall.services, bank=bank))
    return found


def show_hubs(reports: "Sequence[HubReport]") -> None:
    """One row a scenario, each figure before and after."""
    from rich.table import Table

    from secondhop.cli.stats_view import hubs_told
    from secondhop.cli.terminal import clean, screen

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("scenario")
    for heading in ("memories", "skewness", "top 1 %", "overlap"):
        table.add_column(heading, justify="right")
    for one in reports:
        figures = [
            f"{before:.2f} → {after:.2f}"
            for before, after in (
                (one.before.skewness, one.after.skewness),
                (one.before.top_share, one.after.top_share),
                (one.before.overlap or 0.0, one.after.overlap or 0.0),
            )
        ]
        table.add_row(clean(one.scenario), str(one.memories), *figures)
    screen().print(table)
    screen().print("before → after the correction (RankingSettings.correct_hubs)")
    standings: set[HubStanding] = {one.hubs for one in reports if one.hubs != "corrected"}
    for standing in sorted(standings):
        screen().print(f"Hubs in answers (overlap): {hubs_told(standing)}.", soft_wrap=True)

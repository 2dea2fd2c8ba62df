"""Which part brings what: ways of selecting on the same pool, and the engine with a part off.

    make bench-ablation
    make bench-ablation SCENARIOS="my/scenario other" PLANS=plans.json
    python -m benchmarks.ablation --json > ablation.json

A selection that stands as "chosen elsewhere" has the lambda or the limit that is best on the
other scenarios; those that stand as they are have the values that are named (docs/baselines.md).
"""

import argparse
import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.quality import say_below
from benchmarks.quiet import stay_on_this_machine
from benchmarks.selection_trial import JUDGED_BY, OWN, SelectionTrial
from benchmarks.store_scaling import say
from benchmarks.table_into import DOCUMENT, put

from secondhop.cli.eval_commands import load_scenarios
from secondhop.cli.opening import kept_embeddings, opened, throwaway
from secondhop.cli.options import Common
from secondhop.errors import SecondhopError
from secondhop.evals.ablation import PARTS, Chosen, chosen_by, without
from secondhop.evals.baselines_contest import Asked, Contest, Entry, Ground, hold
from secondhop.evals.baselines_own import Changed
from secondhop.evals.baselines_plans import load_planner
from secondhop.evals.baselines_table import (
    contest_document,
    difference,
    overall,
    row,
    ruler,
    scenario_table,
    told,
)
from secondhop.evals.measures import MEASURES
from secondhop.evals.scenario import Scenario
from secondhop.evals.scenarios import store_scenario
from secondhop.evals.shipped import shipped_scenarios
from secondhop.models.embedder import Embedder
from secondhop.nodes.services import Services


async def whole_engine(ground: Ground, *, plans: Path | None) -> Services:
    """The engine as it is, ready; with the plans of a file when there is one."""
    await ground.recall.awarm()
    services = ground.recall.services
    if plans is None:
        return services
    return replace(services, planner=load_planner(plans, ground.scenario))


async def snapshots(services: Services, scenario: Scenario) -> dict[str, Chosen]:
    """{question id: what its recall chose from}, each the very answer of a recall."""
    found: dict[str, Chosen] = {}
    for question in scenario.questions:
        asked = Asked(text=question.query, asked_at=question.asked_at)
        chosen = await chosen_by(services, asked, k=question.k)
        if chosen.picks(()) != await Changed(services).rank(asked, k=question.k):
            raise SystemExit(f"{question.id}: not what the recall returned; this measures nothing")
        found[question.id] = chosen
    return found


def part_entries(plans: Path | None) -> list[Entry]:
    """The engine as it is, then with one part off after the other."""

    def entry(name: str) -> Entry:
        async def opened(ground: Ground) -> Changed:
            services = await whole_engine(ground, plans=plans)
            return Changed(services if name == OWN else without(PARTS[name], services))

        return Entry(name=name, open=opened)

    return [entry(name) for name in (OWN, *PARTS)]


class Ablation:
    """Both tables, scenario by scenario."""

    def __init__(self, *, plans: Path | None) -> None:
        self._plans = plans
        self._trial, self.parts = SelectionTrial(), Contest()

    @property
    def selections(self) -> Contest:
        """Every way of giving slots."""
        return self._trial.contest()

    async def add(
        self, scenario: Scenario, place: Common, *, embedder: Embedder, folder: Path
    ) -> None:
        """Store a scenario, and try everything on it."""
        async with (
            opened(place, entity=scenario.name, embedder=embedder, counting=True) as recall,
            AsyncExitStack() as closing,
        ):
            await store_scenario(scenario, recall)
            ground = Ground(
                scenario=scenario,
                recall=recall,
                passages=(),
                embedder=embedder,
                folder=folder,
                closing=closing,
            )
            say_below(f"{scenario.name}: selections")
            services = await whole_engine(ground, plans=self._plans)
            self._trial.add(scenario, await snapshots(services, scenario))
            entries = part_entries(self._plans)
            await hold(entries, ground, self.parts, heard=lambda name: say_below(f"  {name}"))


def mean_table(contest: Contest) -> Iterator[str]:
    """One row a variant: the means, and the difference to ours."""
    yield row("", *MEASURES, f"{JUDGED_BY} minus {OWN}")
    yield ruler(len(MEASURES) + 1)
    for name, by_scenario in contest.scores.items():
        means = overall(by_scenario)
        against = told(difference(contest, name, OWN, measure=JUDGED_BY)) if name != OWN else ""
        yield row(name, *(f"{means[one]:.3f}" for one in MEASURES), against)


async def measured(wanted: argparse.Namespace, folders: Sequence[Path]) -> Ablation:
    """Everything on every scenario; stores are thrown away, embeddings are kept."""
    common = Common(llm="offline", embedder=wanted.embedder, json=True)
    ablation = Ablation(plans=wanted.plans)
    with ExitStack() as stack, TemporaryDirectory(prefix="secondhop-bench-") as folder:
        place = stack.enter_context(throwaway(common))
        kept = stack.enter_context(kept_embeddings(common, "eval"))
        for scenario in load_scenarios(list(folders)):
            await ablation.add(scenario, place, embedder=kept, folder=Path(folder))
    return ablation


def show(ablation: Ablation, *, as_json: bool) -> None:
    """Tables, or one document."""
    both = {"How slots are given": ablation.selections, "The engine": ablation.parts}
    if as_json:
        documents = {
            name: contest_document(contest, versions={}, about={})
            for name, contest in zip(("selections", "parts"), both.values(), strict=True)
        }
        say(json.dumps(documents, indent=1, ensure_ascii=False))
        return
    for title, contest in both.items():
        say(f"{title}\n")
        for line in (*mean_table(contest), "", *scenario_table(contest), ""):
            say(line)


def write(ablation: Ablation, *, source: str) -> None:
    """The tables of the document; those with given plans have places of their own."""
    for name, contest in (("slots", ablation.selections), ("parts", ablation.parts)):
        means, scenarios = list(mean_table(contest)), list(scenario_table(contest))
        put(DOCUMENT, f"ablation: {name}{source}", means)
        if not source:
            put(DOCUMENT, f"ablation: {name}, scenarios", scenarios)


def main() -> None:
    """Run the ablation."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR", help="scenario folders")
    parser.add_argument("--plans", type=Path, metavar="FILE", help="plans of all questions, JSON")
    parser.add_argument("--embedder", metavar="SPEC", default="default")
    parser.add_argument(
        "--write", action="store_true", help="put the tables into docs/baselines.md"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    wanted = parser.parse_args()
    stay_on_this_machine()
    try:
        ablation = asyncio.run(measured(wanted, wanted.folders or shipped_scenarios()))
    except SecondhopError as error:
        raise SystemExit(f"bench-ablation: {error}") from error
    show(ablation, as_json=wanted.json)
    if wanted.write:
        write(ablation, source="" if wanted.plans is None else ", given plans")


if __name__ == "__main__":
    main()

"""Answer quality of secondhop and of what people use, on the same questions and vectors.

    make bench-quality                                        # people it was not developed on
    make bench-quality SCENARIOS="my/scenario other"
    python -m benchmarks.quality --only secondhop dense --system my_module:my_function --json

Every system gets the same passages, vectors, questions and k, and its answers are measured in the
same way (docs/benchmarks.md). A system that cannot run here is listed with the reason. Nothing
leaves the machine.
"""

import argparse
import asyncio
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.contest import Contest, Entry, Ground, fed_by, hold
from benchmarks.contest_own import OURS, own_entries
from benchmarks.contest_table import (
    contest_document,
    interval_table,
    main_table,
    markdown,
)
from benchmarks.function_system import function_entry
from benchmarks.libraries import versions
from benchmarks.quiet import silence, stay_on_this_machine
from benchmarks.table_into import DOCUMENT, put

from secondhop.cli.eval_commands import load_scenarios
from secondhop.cli.opening import chosen_embedder, kept_embeddings, opened, throwaway
from secondhop.cli.options import Common
from secondhop.errors import SecondhopError, UsageError
from secondhop.evals.scenario import Scenario
from secondhop.evals.scenarios import store_scenario
from secondhop.models.embedder import Embedder, Vectors

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
REPORTED = (
    "people/kitchen-log",
    "people/team-channel",
    "people/voice-memos",
    "scenarios-unseen/allround",
    "scenarios-unseen/care",
    "scenarios-unseen/guesthouse",
    "scenarios-unseen/studio",
)
"""Without cues, no setting was chosen with these scenarios in view. The cue weights and the wording
of the critic's prompt were (docs/benchmarks.md)."""


@dataclass(frozen=True, slots=True)
class FreshQueries:
    """Embeds passages from the cache but queries with the model, because users wait for queries."""

    kept: Embedder
    model: Embedder

    @property
    def model_id(self) -> str:
        """That of `model`."""
        return self.model.model_id

    @property
    def dimension(self) -> int:
        """That of `model`."""
        return self.model.dimension

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        return await self.kept.embed_passages(texts)

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        return await self.model.embed_queries(texts)


def entries() -> list[Entry]:
    """All systems, in the order of the table."""
    from benchmarks.langchain_systems import Shelves, langchain_entries
    from benchmarks.langmem_system import langmem_entry
    from benchmarks.mem0_system import mem0_entry

    return [*own_entries(), *langchain_entries(Shelves()), mem0_entry(), langmem_entry()]


def named(systems: list[Entry], names: Sequence[str] | None) -> list[Entry]:
    """The systems with these names; None: all.

    Raises:
        UsageError: there is no such system.
    """
    known = [entry.name for entry in systems]
    for name in names or ():
        if name not in known:
            raise UsageError(f"no system {name!r}; there are: {'; '.join(known)}")
    return [entry for entry in systems if names is None or entry.name in names]


async def contest_of(
    scenarios: Sequence[Scenario], systems: Sequence[Entry], common: Common, *, folder: Path
) -> Contest:
    """Run every system on every scenario, in temporary stores with cached passage embeddings."""
    contest = Contest()
    with ExitStack() as stack:
        place = stack.enter_context(throwaway(common))
        kept = stack.enter_context(kept_embeddings(common))
        embedder = FreshQueries(kept, chosen_embedder(common))
        for scenario in scenarios:
            async with (
                opened(place, entity=scenario.name, embedder=embedder, counting=True) as recall,
                AsyncExitStack() as closing,
            ):
                await store_scenario(scenario, recall)
                ground = Ground(
                    scenario=scenario,
                    recall=recall,
                    passages=await fed_by(recall),
                    embedder=embedder,
                    folder=folder,
                    closing=closing,
                )
                say_below(f"{scenario.name}: {len(ground.passages)} passages")
                await hold(systems, ground, contest, heard=lambda name: say_below(f"  {name}"))
    return contest


def say_below(line: str) -> None:
    """Print progress on stderr."""
    print(line, file=sys.stderr, flush=True)


def arguments() -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folders", nargs="*", type=Path, metavar="DIR", help="scenario folders")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these systems alone")
    parser.add_argument(
        "--system", action="append", default=[], metavar="MODULE:FUNCTION", help="yours, too"
    )
    parser.add_argument("--embedder", metavar="SPEC", default="default")
    parser.add_argument(
        "--write", action="store_true", help="put the tables into docs/benchmarks.md"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    return parser.parse_args()


async def report(wanted: argparse.Namespace, *, folder: Path) -> None:
    """Measure and print."""
    scenarios = load_scenarios(wanted.folders or [EXAMPLES / name for name in REPORTED])
    systems = [*named(entries(), wanted.only), *map(function_entry, wanted.system)]
    common = Common(llm="offline", embedder=wanted.embedder, json=wanted.json)
    before = os.getloadavg()[0]
    contest = await contest_of(scenarios, systems, common, folder=folder)
    load = [before, os.getloadavg()[0]]
    if wanted.json:
        about = {"load": load, "processors": os.cpu_count()}
        document = contest_document(contest, versions=versions(), about=about)
        print(json.dumps(document, indent=1, ensure_ascii=False))
        return
    for line in (*markdown(contest, ours=OURS), *told_of(load)):
        print(line)
    if wanted.write:
        write(contest, load)


def write(contest: Contest, load: Sequence[float]) -> None:
    """Write the tables into docs/benchmarks.md."""
    put(DOCUMENT, "quality: means", list(main_table(contest)))
    put(DOCUMENT, "quality: intervals", list(interval_table(contest, ours=OURS)))
    put(DOCUMENT, "quality: versions", list(told_of(load)))


def told_of(load: Sequence[float]) -> Iterator[str]:
    """The day, the versions, and how busy the machine was."""
    packages = ", ".join(f"{package} {number}" for package, number in versions().items())
    busy = f"load {load[0]:.1f} to {load[1]:.1f} on {os.cpu_count()} processors"
    yield f"{time.strftime('%Y-%m-%d')}; {packages}; {busy}"


def main() -> None:
    """Run the contest."""
    wanted = arguments()
    with TemporaryDirectory(prefix="secondhop-bench-", ignore_cleanup_errors=True) as folder:
        silence(Path(folder))
        stay_on_this_machine()
        try:
            asyncio.run(report(wanted, folder=Path(folder)))
        except SecondhopError as error:
            raise SystemExit(f"bench-quality: {error}") from error


if __name__ == "__main__":
    main()

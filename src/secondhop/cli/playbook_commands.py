"""`secondhop playbooks list | near | check | left-out`: the intents that plan without a model."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from secondhop.cli.door import FAILED
from secondhop.cli.eval_options import ScenarioFolders
from secondhop.cli.options import Common, given_path
from secondhop.errors import UsageError

if TYPE_CHECKING:
    from secondhop.evals.intents_left_out import LeftOut
    from secondhop.evals.scenario import Scenario
    from secondhop.prompts.library import Intent

LIBRARY_FILE = "playbooks.db"
"""Of the user's cache folder: vectors of the library's texts, those of every recall."""


def list_intents(
    common: Common,
    domain: Annotated[
        str | None, typer.Option(metavar="DOMAIN", help="Only the intents of this domain.")
    ] = None,
) -> None:
    """List the intents that questions are planned by where no model plans."""
    from secondhop.cli.terminal import clean, print_json, screen
    from secondhop.prompts.library import shipped_intents

    domains = sorted({intent.domain for intent in shipped_intents()})
    if domain is not None and domain not in domains:
        raise UsageError(f"no domain is named {domain!r}; there are {', '.join(domains)}")
    intents = [one for one in shipped_intents() if domain in (None, one.domain)]
    if common.json:
        print_json({"intents": [intent_document(intent) for intent in intents]})
        return
    for intent in intents:
        facets = ", ".join(facet.name for facet in intent.facets)
        screen().print(clean(f"{intent.domain}/{intent.name}: {facets}"), soft_wrap=True)
    screen().print(f"{len(intents)} intents of {len({i.domain for i in intents})} domains")


def near(
    common: Common,
    question: Annotated[str, typer.Argument(metavar="QUESTION")],
    n: Annotated[int, typer.Option("-n", min=1, metavar="N", help="Intents to show.")] = 5,
) -> None:
    """Show the intents nearest to a question: the first three are blended into its plan."""
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import clean, print_json, screen

    if not question.strip():
        raise UsageError("the question is empty; ask something")
    found = run(nearest(common, question, n=n))
    if common.json:
        rows = [{**intent_document(one), "nearness": round(score, 4)} for one, score in found]
        print_json({"question": question, "intents": rows})
        return
    for intent, score in found:
        line = f"{score:.3f}  {intent.domain}/{intent.name}: {intent.asks[0]}"
        screen().print(clean(line), soft_wrap=True)


async def nearest(common: Common, question: str, *, n: int) -> "list[tuple[Intent, float]]":
    """The `n` nearest intents with their nearness."""
    from contextlib import closing

    from secondhop.cli.opening import cache_folder, chosen_embedder
    from secondhop.evals.intents_left_out import IntentFinder
    from secondhop.models.embedding_cache import CachingEmbedder
    from secondhop.prompts.library import shipped_intents

    base = chosen_embedder(common)
    with closing(CachingEmbedder(base, cache_folder() / LIBRARY_FILE)) as library:
        finder = IntentFinder(intents=shipped_intents(), embedder=library, asking=base)
        (found,) = await finder.nearest([question], n=n)
    return found


def check_library(
    common: Common,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            parser=given_path,
            metavar="[FILE...]",
            help="Playbook files, or folders of them. [those that ship]",
        ),
    ] = None,
) -> None:
    """Check playbooks by the rules that the shipped ones keep.

    Four to six facets an intent, three queries a facet, phrased like memories, no ask twice. The
    exit status is 1 when there is a fault.
    """
    from dataclasses import asdict

    from secondhop.cli.terminal import clean, print_json, screen
    from secondhop.prompts.library import read_intents, shipped_intents
    from secondhop.prompts.library_check import FEWEST_INTENTS, faults_of

    intents = read_intents(playbook_files(files)) if files else shipped_intents()
    faults = faults_of(intents, fewest=0 if files else FEWEST_INTENTS)
    if common.json:
        print_json({"intents": len(intents), "faults": [asdict(fault) for fault in faults]})
    else:
        for fault in faults:
            where = "/".join(filter(None, (fault.domain, fault.intent)))
            screen().print(clean(f"{where or 'library'}: {fault.fault}"), soft_wrap=True)
        screen().print(f"{len(intents)} intents, {len(faults)} faults")
    if faults:
        raise typer.Exit(FAILED)


def playbook_files(given: Sequence[Path]) -> list[Path]:
    """The files that are named, and those of the folders that are; raises UsageError."""
    from secondhop.prompts.library import SUFFIX

    found: list[Path] = []
    for path in given:
        inside = sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]
        if not inside:
            raise UsageError(f"there is no playbook (*{SUFFIX}) in {path}")
        found += inside
    for file in found:
        if not file.is_file():
            raise UsageError(f"there is no playbook file {file}")
        if file.suffix != SUFFIX:
            raise UsageError(f"{file} is no playbook: the name of one ends in {SUFFIX}")
    return found


def leave_out(
    common: Common,
    folders: ScenarioFolders = None,
) -> None:
    """Ask each scenario without the intents that are nearest to its questions.

    What a library is worth to questions that nobody wrote a playbook for.
    """
    from secondhop.cli.eval_commands import load_scenarios
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import print_json
    from secondhop.evals.intents_left_out import means
    from secondhop.evals.shipped import shipped_scenarios

    rows = run(left_out_rows(common, load_scenarios(folders or shipped_scenarios())))
    if common.json:
        print_json({"scenarios": {row.scenario: row.document() for row in rows}, **means(rows)})
    else:
        show_left_out(rows)


async def left_out_rows(common: Common, scenarios: "Sequence[Scenario]") -> "list[LeftOut]":
    """One row a scenario, from a throwaway store."""
    from contextlib import closing
    from dataclasses import replace

    from secondhop.cli.eval_bench import CACHE
    from secondhop.cli.opening import (
        OFFLINE,
        cache_folder,
        chosen_embedder,
        kept_embeddings,
        opened,
        throwaway,
    )
    from secondhop.evals.intents_left_out import left_out
    from secondhop.evals.scenarios import store_scenario
    from secondhop.models.embedding_cache import CachingEmbedder
    from secondhop.prompts.library import shipped_intents

    rows: list[LeftOut] = []
    shared = CachingEmbedder(chosen_embedder(common), cache_folder() / LIBRARY_FILE)
    with (
        throwaway(replace(common, llm=OFFLINE)) as place,
        kept_embeddings(common, CACHE) as own,
        closing(shared) as library,
    ):
        for one in scenarios:
            async with opened(place, entity=one.name, embedder=own, counting=True) as recall:
                await store_scenario(one, recall)
                found = await left_out(
                    one, recall.services, intents=shipped_intents(), library=library
                )
            rows.append(found)
    return rows


def show_left_out(rows: "Sequence[LeftOut]") -> None:
    """One row a scenario, then the mean; "out": intents that were left out."""
    from rich.table import Table

    from secondhop.cli.terminal import clean, screen
    from secondhop.evals.intents_left_out import JUDGED_BY, means

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("scenario")
    for name in JUDGED_BY:
        for heading in (name, "left out", "fall"):
            table.add_column(heading, justify="right")
    table.add_column("out", justify="right")
    mean = means(rows)
    lines = [(row.scenario, row.whole, row.without, str(len(row.intents))) for row in rows]
    for scenario, whole, without, gone in [*lines, ("mean", mean["whole"], mean["without"], "")]:
        cells = [
            f"{figure:.3f}"
            for name in JUDGED_BY
            for figure in (whole[name], without[name], whole[name] - without[name])
        ]
        table.add_row(clean(scenario), *cells, gone)
    screen().print(table)


def intent_document(intent: "Intent") -> dict[str, Any]:
    """An intent for `--json`."""
    return {
        "domain": intent.domain,
        "name": intent.name,
        "asks": list(intent.asks),
        "facets": [facet.name for facet in intent.facets],
    }

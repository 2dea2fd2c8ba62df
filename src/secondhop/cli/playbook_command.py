"""`secondhop playbooks`: the intents that questions are planned by without a model."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from secondhop.cli.exit_status import FAILED
from secondhop.cli.options import Common, given_path
from secondhop.errors import UsageError

if TYPE_CHECKING:
    from secondhop.prompts.library import Intent


def playbooks(
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
    """List and check the playbooks for planning without a model.

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
        rows = [intent_document(intent) for intent in intents]
        print_json({"intents": rows, "faults": [asdict(fault) for fault in faults]})
    else:
        for intent in intents:
            facets = ", ".join(facet.name for facet in intent.facets)
            screen().print(clean(f"{intent.domain}/{intent.name}: {facets}"), soft_wrap=True)
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


def intent_document(intent: "Intent") -> dict[str, Any]:
    """An intent for `--json`."""
    return {
        "domain": intent.domain,
        "name": intent.name,
        "asks": list(intent.asks),
        "facets": [facet.name for facet in intent.facets],
    }

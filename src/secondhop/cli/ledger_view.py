"""Prints what an ingest did."""

from collections.abc import Sequence

from rich.console import Console

from secondhop.cli.annotate_view import show_annotated
from secondhop.cli.terminal import clean
from secondhop.ingest.ledger import IngestLedger, IngestPlan
from secondhop.ingest.reading import Skipped
from secondhop.wording import counted

REASONS_SHOWN = 20
"""Most reasons shown why items were skipped; `--json` has them all."""

ITEMS_NAMED = 3
"""Most items named per reason."""

PLANNED_SHOWN = 20
"""Most ids shown per line of a dry run; `--json` has them all."""


def show_ledger(ledger: IngestLedger, console: Console) -> None:
    """Print counts in one line, then what was skipped and why."""
    if ledger.plan is not None:
        show_plan(ledger, ledger.plan, console)
    else:
        replaced = f" ({ledger.replaced} replaced)" if ledger.replaced else ""
        other_cues = f" ({ledger.other_cues} with other cues)" if ledger.other_cues else ""
        console.print(
            f"read {counted(ledger.read, 'memory')}: {ledger.stored} stored{replaced}, "
            f"{ledger.unchanged} unchanged{other_cues}, {ledger.deleted} deleted, "
            f"{len(ledger.skipped)} skipped"
        )
    show_entries("skipped ", ledger.skipped, console)
    show_entries("", [*ledger.notices, *ledger.deletions_not_followed], console)
    if ledger.annotation is not None:
        show_annotated(ledger.annotation, console)


def show_entries(head: str, entries: Sequence[Skipped], console: Console) -> None:
    """Print one line per reason, with the items that it holds for."""
    items_of: dict[str, list[str]] = {}
    for entry in entries:
        items_of.setdefault(entry.reason, []).append(entry.item)
    for reason, items in [*items_of.items()][:REASONS_SHOWN]:
        named = ", ".join(clean(one) for one in items[:ITEMS_NAMED])
        rest = f" and {len(items) - ITEMS_NAMED} more" if len(items) > ITEMS_NAMED else ""
        console.print(f"{head}{named}{rest}: {clean(reason)}", style="yellow")
    if len(items_of) > REASONS_SHOWN:
        console.print("and others; --json lists all", style="yellow")


def show_plan(ledger: IngestLedger, plan: IngestPlan, console: Console) -> None:
    """Print what a dry run would have done, by id."""
    console.print(
        f"nothing was written; read {counted(ledger.read, 'memory')}: "
        f"{ledger.unchanged} unchanged, {len(ledger.skipped)} skipped, "
        f"{counted(ledger.passages, 'passage')} to embed"
    )
    for deed, ids in (
        ("add", plan.added),
        ("replace", plan.replaced),
        ("take over from another place", plan.moved),
        ("store other cues of", plan.other_cues),
        ("delete", plan.deleted),
    ):
        if ids:
            named = ", ".join(clean(one) for one in ids[:PLANNED_SHOWN])
            more = len(ids) - PLANNED_SHOWN
            rest = f", and {more} more; --json lists all" if more > 0 else ""
            console.print(f"would {deed} {len(ids)}: {named}{rest}")

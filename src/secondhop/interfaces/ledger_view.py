"""What an ingest did, for people."""

from typing import TYPE_CHECKING

from secondhop.ingest.ledger import IngestLedger
from secondhop.interfaces.terminal import clean

if TYPE_CHECKING:
    from rich.console import Console

SKIPPED_SHOWN = 20
"""Lines of skipped items; `--json` has them all."""


def show_ledger(ledger: IngestLedger, console: "Console") -> None:
    """Counts in one line, then what was skipped and why."""
    console.print(
        f"read {ledger.read} memories: {ledger.stored} stored, {ledger.unchanged} unchanged, "
        f"{ledger.deleted} deleted, {len(ledger.skipped)} skipped"
    )
    for entry in ledger.skipped[:SKIPPED_SHOWN]:
        console.print(f"skipped {clean(entry.item)}: {clean(entry.reason)}", style="yellow")
    more = len(ledger.skipped) - SKIPPED_SHOWN
    if more > 0:
        console.print(f"and {more} more; --json lists all", style="yellow")
    for entry in ledger.deletions_not_followed:
        console.print(f"{clean(entry.item)}: {clean(entry.reason)}", style="yellow")

"""What of a recall was of use, as it is counted."""

from collections.abc import Sequence
from datetime import datetime

from secondhop.errors import UsageError
from secondhop.graph.trace import RecallTrace
from secondhop.memories.records import Accepted
from secondhop.shown_lately import shown_in
from secondhop.stores.counters import CounterStore, Use


async def count_use(
    trace: RecallTrace,
    accepted: Sequence[str],
    *,
    counters: CounterStore,
    at: datetime,
    dry_run: bool,
) -> Accepted:
    """Count what a recall retrieved and showed, and what of it was accepted.

    Raises:
        UsageError: the recall did not show one of the accepted memories.
    """
    if missing := sorted(set(accepted) - set(trace.returned)):
        raise UsageError(
            f"recall {trace.trace_id} did not return {', '.join(missing)}; only what was "
            f"shown can have been of use"
        )
    use = Use(
        trace_id=trace.trace_id,
        at=at,
        retrieved=[*(candidate.memory_id for candidate in trace.candidates), *trace.rest],
        shown=trace.returned,
        accepted=list(dict.fromkeys(accepted)),
        lately=shown_in(trace),
    )
    return Accepted(
        trace_id=use.trace_id,
        retrieved=len(use.retrieved),
        shown=len(use.shown),
        accepted=[*use.accepted],
        counted=0 if dry_run else await counters.count(use),
        dry_run=dry_run,
    )

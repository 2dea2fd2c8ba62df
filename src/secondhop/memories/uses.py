"""What became of a recall: which of its memories were of use."""

from collections.abc import Sequence
from datetime import datetime

from secondhop.errors import UsageError
from secondhop.given_values import check_moments, in_utc
from secondhop.graph.result import RecallResult
from secondhop.graph.trace import RecallTrace
from secondhop.memories.records import Accepted
from secondhop.memories.writing import MemoryWriting
from secondhop.stores.counters import Use
from secondhop.traces import TraceFolder


class Uses:
    """Counts what recalls retrieved and showed, and what was accepted."""

    def __init__(self, writing: MemoryWriting, traces: TraceFolder) -> None:
        """Take the parts as they are."""
        self._writing, self._traces = writing, traces

    async def accept(
        self,
        trace: str | RecallTrace | RecallResult,
        memory_ids: Sequence[str],
        *,
        at: datetime | None,
        dry_run: bool,
    ) -> Accepted:
        """See `MemoryService.aaccept`."""
        check_moments(at=at)
        given = trace.trace_id if isinstance(trace, RecallResult) else trace
        story = self._traces.load(given) if isinstance(given, str) else given
        accepted = list(dict.fromkeys(memory_ids))
        if missing := sorted(set(accepted) - set(story.returned)):
            raise UsageError(
                f"recall {story.trace_id} did not return {', '.join(missing)}; only what was "
                f"shown can have been of use"
            )
        use = Use(
            trace_id=story.trace_id,
            at=in_utc(at) if at else self._writing.clock(),
            retrieved=[*(one.memory_id for one in story.candidates), *story.rest],
            shown=story.returned,
            accepted=accepted,
        )
        return Accepted(
            trace_id=use.trace_id,
            retrieved=len(use.retrieved),
            shown=len(use.shown),
            accepted=accepted,
            counted=0 if dry_run else await self._writing.counters.count(use),
            dry_run=dry_run,
        )

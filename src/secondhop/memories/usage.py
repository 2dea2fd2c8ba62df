"""What of a recall was of use, as it is counted."""

from collections.abc import Sequence
from datetime import datetime

from secondhop.errors import UsageError
from secondhop.graph.trace import RecallTrace
from secondhop.shown_lately import shown_in
from secondhop.stores.counters import Use


def use_of(story: RecallTrace, accepted: Sequence[str], *, at: datetime) -> Use:
    """What a recall retrieved and showed, and what of it was accepted.

    Raises:
        UsageError: the recall did not show one of the accepted memories.
    """
    if missing := sorted(set(accepted) - set(story.returned)):
        raise UsageError(
            f"recall {story.trace_id} did not return {', '.join(missing)}; only what was "
            f"shown can have been of use"
        )
    return Use(
        trace_id=story.trace_id,
        at=at,
        retrieved=[candidate.memory_id for candidate in story.candidates],
        shown=story.returned,
        accepted=list(dict.fromkeys(accepted)),
        lately=shown_in(story),
    )

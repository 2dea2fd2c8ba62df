"""What a recall or a session showed, as it is kept once somebody has said what was of use.

Ids and a digest of the question, no word of it; only where variety was asked for.
"""

from secondhop.graph.session_result import ResolvedSession
from secondhop.graph.trace import RecallTrace
from secondhop.nodes.selection.exposure import digest_of
from secondhop.nodes.selection.factors import EXPOSURE
from secondhop.stores.counters import ShownLately

FRESHNESS = "ranking.freshness"


def shown_in(trace: RecallTrace) -> ShownLately | None:
    """What a recall returned, and what had been shown before it; None: nothing was to yield."""
    freshness = trace.settings.get(FRESHNESS)
    if not isinstance(freshness, int | float) or freshness <= 0:
        return None
    factors = {one.memory_id: one.factors.get("exposure", 1.0) for one in trace.candidates}
    return ShownLately(
        question=digest_of(trace.question),
        at=trace.asked_at,
        memory_ids=trace.returned,
        weary={
            i: (1 - factor) / (freshness * EXPOSURE) for i, factor in factors.items() if factor < 1
        },
    )


def shown_by(session: ResolvedSession) -> ShownLately | None:
    """What all answers of a session showed; None: nothing was to yield."""
    if session.exposure is None:
        return None
    met = {*session.shown, *session.retrieved}
    return ShownLately(
        question=digest_of(session.question),
        at=session.asked_at,
        memory_ids=session.shown,
        weary={one: wear for one, wear in session.exposure.items() if one in met},
    )

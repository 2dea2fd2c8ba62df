"""How long the steps that run beside the searches may take."""

import time

from secondhop.nodes.state import RecallState

SHARE = 0.25
"""Share of the time left; preferences and names of facts are worthless without time to search."""


def time_beside(state: RecallState) -> float:
    """Seconds that such a step may take; 0.0 if the deadline has passed."""
    return max(0.0, SHARE * (state["deadline_at"] - time.time()))

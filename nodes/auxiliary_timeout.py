"""How long the steps that run beside the searches may take."""

import time

from secondhop.nodes.state import RecallState

SHARE = 0.25
"""Of the time left: preferences and names of facts are worth nothing without time to search."""


def time_beside(state: RecallState) -> float:
    """Seconds, 0 when the deadline has passed."""
    return max(0.0, SHARE * (state["deadline_at"] - time.time()))

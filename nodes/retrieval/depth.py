"""How many memories one query brings."""

from secondhop.nodes.config import RankingSettings
from secondhop.nodes.state import RecallState, is_unplanned

UNPLANNED = 200
"""Memories that the question brings where nothing else is asked; what can still win is among
them."""


def depth_of(state: RecallState, ranking: RankingSettings) -> int:
    """Memories of each ranking that count."""
    planned = state["k"] * ranking.depth_factor
    return max(planned, UNPLANNED) if is_unplanned(state) else planned

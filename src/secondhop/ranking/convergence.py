"""Detects when a recall stops changing."""

from collections.abc import Sequence
from itertools import pairwise


def jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    """|A ∩ B| / |A ∪ B|, 0..1; 1.0 for two empty sets, unlike `jaccard` of `same_thing`.

    Source: Jaccard, Bulletin de la Société vaudoise des sciences naturelles 37, 1901.
    """
    union = len(left | right)
    return len(left & right) / union if union else 1.0


def is_stable(
    history: Sequence[frozenset[str]], *, threshold: float = 0.8, rounds: int = 2
) -> bool:
    """Whether each two neighbours among the last `rounds` sets have a Jaccard of >= `threshold`.

    Args:
        history: the set of each round (ids voted hot or warm so far), oldest first. Sets that
            stay empty are stable, too; to avoid this, require a vote first.
        rounds: at least 2. If the history has fewer sets, the result is False.

    Raises:
        ValueError: threshold is outside 0..1, or rounds is below 2.
    """
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold must lie in 0..1, got {threshold}")
    if rounds < 2:
        raise ValueError(
            f"rounds must be at least 2, got {rounds}: a single round has nothing to compare with"
        )
    if len(history) < rounds:
        return False
    return all(jaccard(*pair) >= threshold for pair in pairwise(history[-rounds:]))

"""Describes memories that are no longer valid, for answers and traces."""

from collections.abc import Sequence
from typing import Any

from secondhop.nodes.selection.visibility import Hidden
from secondhop.nodes.services import Services
from secondhop.nodes.state import HiddenHit, RecallState


def marked(memories: Sequence[dict[str, Any]], hidden: Hidden) -> list[dict[str, Any]]:
    """The memories or preferences; ended ones get `stale` (how and when) and `replaced_by`."""
    return [
        memory
        if (end := hidden.ended.get(memory["id"])) is None
        else memory | {"stale": end.describe(), "replaced_by": end.by}
        for memory in memories
    ]


async def hidden_hits(state: RecallState, *, services: Services) -> list[HiddenHit]:
    """Memories that queries found but that may not be shown, with titles, sorted by memory id."""
    reasons: dict[str, str] = {}
    for ranking in state.get("rankings", {}).values():
        reasons |= ranking.get("hidden", {})
    if not reasons:
        return []
    cards = await services.reader.cards(sorted(reasons))
    return [
        HiddenHit(memory_id=memory_id, title=card.title, reason=reasons[memory_id])
        for memory_id, card in sorted(cards.items())
    ]

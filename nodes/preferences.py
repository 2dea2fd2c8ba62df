"""How to behave: preferences that hold, given beside the memories and never in their slots."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from secondhop.errors import ModelError
from secondhop.nodes.hidden import Hidden
from secondhop.nodes.services import Services
from secondhop.stores.keeping import ALWAYS
from secondhop.stores.records import Memory

CONTEXTS = 64
"""Contexts that a question is compared with; of more, the newest."""


async def that_count(question: str, hidden: Hidden, *, services: Services) -> dict[str, float]:
    """{memory id: how near the question is to its context, 0..1}; 1 for what always holds.

    A context counts when the question is as near to it as a memory must be to come back. Where
    the model does not answer, only what always holds is given.
    """
    counting = {one.memory_id: 1.0 for one in hidden.preferences if always(one)}
    contextual = [one for one in hidden.preferences if not always(one)][-CONTEXTS:]
    if not contextual:
        return counting
    try:
        (asked,) = await services.embedder.embed_queries([question])
        contexts = await services.embedder.embed_passages([one.scope for one in contextual])
    except ModelError:
        return counting
    near = services.scale.calibration(np.asarray(contexts @ asked, dtype=np.float64))
    least = services.settings.ranking.min_score
    return counting | {
        one.memory_id: round(score, 4)
        for one, score in zip(contextual, near.tolist(), strict=True)
        if score >= least
    }


def always(preference: Memory) -> bool:
    """Whether it holds whatever is asked."""
    return preference.scope.casefold() == ALWAYS


def given(counting: Mapping[str, float], preferences: Sequence[Memory]) -> list[dict[str, Any]]:
    """As `RecalledPreference` has them: what always holds first, then the nearest context."""
    chosen = [one for one in preferences if one.memory_id in counting]
    chosen.sort(key=lambda one: (not always(one), -counting[one.memory_id], one.memory_id))
    return [
        {
            "id": one.memory_id,
            "text": "\n\n".join(message.content for message in one.messages),
            "scope": one.scope,
            "topic": one.subject,
            "created_at": one.created_at.isoformat(),
            "score": counting[one.memory_id],
        }
        for one in chosen
    ]

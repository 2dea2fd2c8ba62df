"""The hooks that sessions have taught, as a briefing asks for them."""

import logging
from collections.abc import Sequence

from secondhop.briefing.prediction_hooks import Hook
from secondhop.errors import StoreError
from secondhop.learning.service import Learning

logger = logging.getLogger(__name__)

PRIOR = 1.0
"""Sessions that are set against those in which a hook has helped."""


class LearnedAhead:
    """`PredictionHooks` of what was learned: promoted hooks alone, of all contexts."""

    def __init__(self, learning: Learning) -> None:
        self._learning = learning

    async def after(self, memory_ids: Sequence[str]) -> Sequence[Hook]:
        """See `PredictionHooks`; weight = wins / (wins + misses + 1).

        Lessons that cannot be read do not stop a briefing: it goes on without.
        """
        try:
            known = await self._learning.hooks()
        except StoreError as error:
            logger.warning("a briefing uses nothing learned: %s", error)
            return []
        shown = set(memory_ids)
        return [
            Hook(
                trigger=hook.spark,
                target=hook.leads_to,
                weight=round(hook.wins / (hook.wins + hook.misses + PRIOR), 4),
            )
            for hook in known
            if hook.spark in shown
        ]

"""Estimates what annotating would cost, before the model is asked."""

from collections.abc import Sequence

from secondhop.annotate.annotator import Annotator
from secondhop.annotate.older import MOST_OLDER
from secondhop.annotate.parts import BATCH_MEMORIES, FRAME_TOKENS, batches
from secondhop.annotate.records import AnnotateEstimate
from secondhop.annotate.sheet import map_titles
from secondhop.models.llm import Usage
from secondhop.models.prices import TokenPrice, cost_of
from secondhop.stores.entity_store import EntityStore

REPLY_TOKENS = 130
"""Measured length of what the model writes about one memory."""

OLDER_TOKENS = 90
"""Length of an older memory on the sheet."""


async def estimated(
    memory_ids: Sequence[str],
    store: EntityStore,
    annotator: Annotator,
    *,
    price: TokenPrice | None,
) -> AnnotateEstimate:
    """What annotating these memories would cost; reads every text, but does not ask the model."""
    frame = annotator.sheet([], titles=await map_titles(store)).tokens
    requests = parts = tokens = 0
    async for batch in batches(memory_ids, store):
        requests += 1
        parts += len(batch)
        tokens += sum(part.tokens + FRAME_TOKENS for part in batch)
    older = min(MOST_OLDER, max(0, len(memory_ids) - BATCH_MEMORIES))
    usage = Usage(
        calls=requests,
        prompt_tokens=tokens + requests * (frame + older * OLDER_TOKENS),
        completion_tokens=parts * REPLY_TOKENS,
    )
    return AnnotateEstimate(
        memories=len(memory_ids),
        requests=requests,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cost_usd=cost_of(usage, price),
        model=annotator.model_id,
    )

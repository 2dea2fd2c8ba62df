"""Finds older memories similar to a batch, which it may replace or whose words it may reuse."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest

import numpy as np

from secondhop.annotate.parts import MemoryPart
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.records import MemoryCard

NEAR = 16
"""How many near passages of other memories are searched for each memory."""

MOST_OLDER = 24
"""The most older memories shown with a batch."""

OPENING_CHARS = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class OlderMemory:
    """An older memory near to those of a batch, shown by its beginning."""

    memory_id: str
    title: str
    created_at: datetime
    opening: str
    role: str = ""
    broad: Sequence[str] = ()
    """Its broad cues, so that new cues use the same words."""


async def older_near(
    parts: Sequence[MemoryPart], store: EntityStore, *, limit: int
) -> list[OlderMemory]:
    """At most `limit` older memories near to a memory of the batch, sorted by date.

    They are chosen in turns: the nearest of each memory of the batch, then each second nearest, …
    """
    if not limit:
        return []
    own = {part.memory_id: part for part in parts}
    rankings = [await nearest_older(part, store, without=own) for part in own.values()]
    in_turn = (card for turn in zip_longest(*rankings) for card in turn if card is not None)
    chosen = list({card.memory_id: card for card in in_turn}.values())[:limit]
    chosen.sort(key=lambda card: (card.created_at, card.memory_id))
    noted = await store.cues.annotations([card.memory_id for card in chosen])
    shown: list[OlderMemory] = []
    for card in chosen:
        found = await store.whole(card.memory_id)
        known = noted.get(card.memory_id, ())
        if found is not None:
            shown.append(
                OlderMemory(
                    memory_id=card.memory_id,
                    title=card.title,
                    created_at=card.created_at,
                    opening="".join(one.text for one in found[1][:1])[:OPENING_CHARS],
                    role=next((one.role for one in known if one.role), ""),
                    broad=[c.text for one in known for c in one.cues if c.breadth == "broad"],
                )
            )
    return shown


async def nearest_older(
    part: MemoryPart, store: EntityStore, *, without: Collection[str]
) -> list[MemoryCard]:
    """Memories no newer than this one, nearest first, without those of the batch (`without`)."""
    found = await store.whole(part.memory_id)
    passages = found[1] if found is not None else ()
    vectors = await store.vectors([passage.passage_id for passage in passages])
    if not vectors:
        return []
    middle = np.mean(list(vectors.values()), axis=0, keepdims=True)
    middle /= max(float(np.linalg.norm(middle)), 1e-9)
    (hits,) = await store.dense(middle.astype(np.float32), k=NEAR + len(passages))
    ids, newest = dict.fromkeys(hit.memory_id for hit in hits), part.memory.created_at
    cards = await store.cards([one for one in ids if one not in without])
    return [cards[one] for one in ids if one in cards and cards[one].created_at <= newest]

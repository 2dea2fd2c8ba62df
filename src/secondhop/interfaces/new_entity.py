"""A misspelt `--entity` makes a memory of its own: whoever stores into a new one is told."""

import asyncio
from typing import TYPE_CHECKING

from secondhop.interfaces.opening import server_of, store_of
from secondhop.interfaces.options import Common
from secondhop.settings import load_settings

if TYPE_CHECKING:
    from secondhop.recall import Recall

NAMED = 3
"""Other entities that the notice names."""


async def notice_if_new(recall: "Recall", common: Common) -> str:
    """To be asked before something is stored; "" for an entity that has memories already, and for
    the first of a store."""
    from secondhop.stores.home import StoreHome

    if (await recall.acounts()).memories:
        return ""
    settings = load_settings()
    own = common.entity or settings.entity
    home = StoreHome(store_of(common, settings), chroma_url=server_of(common, settings))
    try:
        others = [one for one in await asyncio.to_thread(home.entities) if one != own]
    finally:
        await home.aclose()
    return about_new(own, others)


def about_new(entity: str, others: list[str]) -> str:
    """What is said of a new entity beside those that are there; "" where none is.

    >>> about_new("an", ["ann", "bob"])
    "'an' is a new memory here, beside 'ann', 'bob'"
    """
    if not others:
        return ""
    more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
    return f"{entity!r} is a new memory here, beside {', '.join(map(repr, others[:NAMED]))}{more}"

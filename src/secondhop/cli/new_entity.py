"""A misspelt `--entity` makes a memory of its own: storing into a new one gives a notice."""

import asyncio
from typing import TYPE_CHECKING

from secondhop.cli.opening import server_of, store_of
from secondhop.cli.options import Common
from secondhop.cli.terminal import shorten
from secondhop.errors import StoreError
from secondhop.settings import load_settings

if TYPE_CHECKING:
    from secondhop.recall import Recall

NAMED = 3
"""Other entities that the notice names."""

NAME_CHARS = 40
"""Of each of them."""


async def notice_if_new(recall: "Recall", common: Common) -> str:
    """To be asked before something is stored; "" for an entity that has memories already, for the
    first of a store, and where another one is damaged: that keeps nothing from being stored."""
    from secondhop.stores.store_directory import StoreDirectory

    if (await recall.memories.acounts()).memories:
        return ""
    settings = load_settings()
    own = common.entity or settings.entity
    home = StoreDirectory(store_of(common, settings), chroma_url=server_of(common, settings))
    try:
        others = [one for one in await asyncio.to_thread(home.entities) if one != own]
    except StoreError:
        return ""
    finally:
        await home.aclose()
    return about_new(own, others)


def about_new(entity: str, others: list[str]) -> str:
    """What is said of a new entity beside those that are there; "" where none is.

    >>> about_new("an", ["ann", "bob"])
    "nothing was stored for 'an' before; the store holds 'ann', 'bob'"
    """
    if not others:
        return ""
    more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
    own, *named = [repr(shorten(one, NAME_CHARS)) for one in (entity, *others[:NAMED])]
    return f"nothing was stored for {own} before; the store holds {', '.join(named)}{more}"

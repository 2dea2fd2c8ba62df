"""Forgets memory `secret` of a store and is killed half-way: `forget_and_die.py STORE WHERE`."""

import asyncio
import os
import sys
from typing import Any

from secondhop.recall import Recall
from secondhop.stores.catalog.catalog import Catalog
from secondhop.stores.vectors.chroma import ChromaVectors
from secondhop.traces import TraceFolder

PLACES: dict[str, tuple[type, str]] = {
    "before the traces": (TraceFolder, "naming"),
    "before the catalog": (Catalog, "remove"),
    "before the vectors": (ChromaVectors, "remove"),
    "before the files": (ChromaVectors, "compact"),
    "before the log": (Catalog, "erase_leftovers"),
}


def die(*_: Any, **__: Any) -> None:
    os._exit(9)


async def main(store: str, where: str) -> None:
    async with await Recall.aopen(store, embedder="hashing") as recall:
        owner, name = PLACES[where]
        if where == "before the traces":
            await recall.admin.store.erasure.begin(["secret"])
        setattr(owner, name, die)
        await recall.memories.aforget("secret")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

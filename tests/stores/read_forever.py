"""A program that searches a store's entities until killed or an error: `read_forever.py STORE`."""

import asyncio
import sys
from pathlib import Path

from tests.stores.conftest import vectors_of

from secondhop.stores.store_directory import StoreDirectory

ENTITIES = ("a", "b", "c")
LASTING = range(60, 120)
"""Numbers of the memories that are never deleted."""

BREATH_S = 0.02
"""Pause between searches: on two cores, readers that never pause would starve a writer."""


async def read(folder: Path) -> None:
    home = StoreDirectory(folder)
    stores = [
        await home.open_entity(name, embedder_id="hash-16", dimension=16) for name in ENTITIES
    ]
    print("reading", flush=True)
    while True:
        for number in LASTING:
            query = vectors_of(f"text {number}")
            for (best,) in await asyncio.gather(*(store.dense(query, k=1) for store in stores)):
                assert best[0].memory_id == f"m{number}"
            await asyncio.sleep(BREATH_S)


if __name__ == "__main__":
    asyncio.run(read(Path(sys.argv[1])))

"""A program for `test_forks.py`: opens a store, forks, and uses stores in the child."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

from secondhop.errors import SecondhopError
from secondhop.recall import Recall

folder = Path(sys.argv[1])


def told(text: str) -> None:
    print(text, flush=True)


def opened() -> Recall:
    return Recall.open(folder, embedder="hashing")


def used(recall: Recall) -> None:
    """Use stores in the child, while the parent has written since the fork."""

    async def counted() -> None:
        await recall.memories.acounts()

    async def updated() -> None:
        await recall.memories.aupdate("key", mark="core")

    uses: list[Callable[[], object]] = [
        lambda: recall.recall("Where is the key?"),
        opened,
        lambda: asyncio.run(counted()),
        lambda: asyncio.run(updated()),
    ]
    for use in uses:
        try:
            use()
            told("it worked")
        except SecondhopError as error:
            told(f"{type(error).__name__}: {error}")


recall = opened()
recall.memories.remember("The spare key is under the blue pot", memory_id="key")
recall.recall("Where is the spare key?")
written, write = os.pipe()
if os.fork() == 0:
    os.read(written, 1)
    used(recall)
    os._exit(0)
recall.memories.remember("The boiler was serviced")
os.write(write, b"1")
os.wait()
told(str(len(recall.recall("Where is the spare key?", k=1).memories)))
os._exit(0)

"""A program that opens memories under a low limit on open files and prints how it fails."""

import asyncio
import resource
import sys

from secondhop.recall import Recall
from secondhop.testing import note


async def main(folder: str) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
    opened: list[Recall] = []
    try:
        for number in range(40):
            recall = await Recall.aopen(folder, entity=f"e{number}", embedder="hashing")
            opened.append(recall)
            await recall.aadd([note("a", f"hello {number}")])
    except Exception as error:
        print(type(error).__name__, error)
        return
    print("all are open")


asyncio.run(main(sys.argv[1]))

"""A program that opens a store and prints the memory nearest to each question, as JSON.

    python open_and_ask.py STORE PAUSE_AFTER QUESTION…

With PAUSE_AFTER > 0 it prints a line and sleeps before it embeds more passages than that.
"""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from secondhop.models.embedder import Vectors
from secondhop.models.hashing import HashingEmbedder
from secondhop.recall import Recall


class PausingEmbedder(HashingEmbedder):
    """The hashing embedder, which sleeps after `pause_after` passages; 0: it never does."""

    def __init__(self, pause_after: int) -> None:
        super().__init__()
        self.pause_after = pause_after
        self.passages = 0

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed passages, or print a line and sleep."""
        self.passages += len(texts)
        if 0 < self.pause_after < self.passages:
            say("in the middle")
            await asyncio.sleep(600)
        return await super().embed_passages(texts)


async def nearest(folder: Path, questions: Sequence[str], *, pause_after: int) -> list[str]:
    """The memory nearest to each question."""
    async with await Recall.aopen(folder, embedder=PausingEmbedder(pause_after)) as recall:
        vectors = await recall.admin.services.embedder.embed_queries(questions)
        return [hits[0].memory_id for hits in await recall.admin.store.dense(vectors, k=1)]


def say(line: str) -> None:
    """Print a line that the parent process reads at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    store, pause_after, *asked = sys.argv[1:]
    say(json.dumps(asyncio.run(nearest(Path(store), asked, pause_after=int(pause_after)))))

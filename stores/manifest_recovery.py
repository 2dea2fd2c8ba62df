"""A new `store.json` in place of one that was lost or damaged, out of what else the store holds."""

import logging
import re
import sqlite3
import uuid
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from secondhop.stores.catalog.catalog import Identity
from secondhop.stores.manifest import Manifest, create_manifest

_COLLECTION = re.compile(r"(?P<store>[0-9a-f]{12})-(?P<entity>[0-9a-f]{32})\.[0-9]+")
"""Names of collections, as `StoreHome` makes them: they hold the beginning of the store's id."""
_log = logging.getLogger(__name__)


def recover_manifest(
    path: Path,
    *,
    identities: Sequence[Identity],
    digests: Collection[str],
    chroma: Path,
    cure: str,
) -> Manifest:
    """Write the manifest anew; what is left of a damaged one is moved aside.

    The embedding model is that of the entity which was reindexed least: new entities change to
    another one only when all have. The store's id stands in the names of its collections; where
    there are none to read (a Chroma server), a new one is made, and each entity needs a reindex.

    Args:
        path: where it was.
        identities: of the entities with a catalog; at least one.
        digests: of their names, as the collections' names have them.
        chroma: the folder of Chroma's files.
        cure: what rebuilds the vectors, for the log.
    """
    if path.exists():
        aside = path.with_name(f"{path.name}.damaged-{uuid.uuid4().hex[:8]}")
        path.rename(aside)
        _log.warning("%s is damaged; it is moved to %s", path, aside.name)
    oldest = min(identities, key=lambda identity: (identity.generation, identity.entity))
    store_id = _store_id(chroma, digests)
    manifest = create_manifest(
        path,
        embedder_id=oldest.embedder_id,
        dimension=oldest.dimension,
        store_id=store_id,
    )
    _log.warning(
        "%s was lost and is written anew from the catalogs%s",
        path,
        "" if store_id else f"; the vectors are not found without it: {cure}",
    )
    return manifest


def _store_id(chroma: Path, digests: Collection[str]) -> str | None:
    """The beginning of the id, from the collections of these entities."""
    file = chroma / "chroma.sqlite3"
    if not file.exists():
        return None
    uri = f"file:{quote(str(file.absolute()))}?mode=rw"
    try:
        with closing(sqlite3.connect(uri, uri=True, timeout=30)) as connection:
            names = [name for (name,) in connection.execute("SELECT name FROM collections")]
    except sqlite3.DatabaseError as error:
        _log.warning("the names of the collections in %s cannot be read: %s", chroma, error)
        return None
    matches = [match for name in names if (match := _COLLECTION.fullmatch(name))]
    stores = Counter(match["store"] for match in matches if match["entity"] in digests)
    return stores.most_common(1)[0][0] if stores else None

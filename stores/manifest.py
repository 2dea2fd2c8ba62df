"""`store.json`: what a store is, in one small file that is always whole, or made again."""

import json
import logging
import os
import re
import sqlite3
import uuid
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import quote

from secondhop.errors import CorruptStoreError, SchemaVersionError
from secondhop.stores.catalog.catalog import Identity

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Of one store."""

    store_id: str
    """Keeps the collections of two stores on one Chroma server apart."""
    embedder_id: str
    """For new entities; each entity's catalog knows its own."""
    dimension: int
    format_version: int = FORMAT_VERSION


class DamagedManifestError(CorruptStoreError):
    """The file is there and does not say what it should."""


def read_manifest(path: Path) -> Manifest | None:
    """None when there is no store yet.

    Raises:
        SchemaVersionError: written by a newer secondhop.
        DamagedManifestError: not readable.
    """
    try:
        fields = json.loads(path.read_bytes())
        found = int(fields["format_version"])
        if found > FORMAT_VERSION:
            raise SchemaVersionError(found=found, known=FORMAT_VERSION, path=str(path))
        return Manifest(
            store_id=str(fields["store_id"]),
            embedder_id=str(fields["embedder_id"]),
            dimension=int(fields["dimension"]),
            format_version=found,
        )
    except FileNotFoundError:
        return None
    except (ValueError, LookupError, TypeError) as error:
        raise DamagedManifestError(
            f"{path} is damaged ({error!r}), and nothing is stored that it could be rebuilt from; "
            f"put a backup of it in place, or delete it"
        ) from error


def intact_manifest(path: Path) -> Manifest | None:
    """As `read_manifest`; None also when it is damaged."""
    try:
        return read_manifest(path)
    except DamagedManifestError:
        return None


def create_manifest(
    path: Path, *, embedder_id: str, dimension: int, store_id: str | None = None
) -> Manifest:
    """Write a new manifest, or read the one that another process has just written."""
    manifest = Manifest(
        store_id=store_id or uuid.uuid4().hex, embedder_id=embedder_id, dimension=dimension
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = _draft(path, manifest)
    try:
        os.link(draft, path)  # unlike a rename this fails when the file exists
    except FileExistsError:
        return read_manifest(path) or manifest
    finally:
        draft.unlink()
    return manifest


def replace_manifest(path: Path, manifest: Manifest) -> None:
    """Exchange the manifest; readers see the old or the new one."""
    _draft(path, manifest).replace(path)


def _draft(path: Path, manifest: Manifest) -> Path:
    draft = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
    with draft.open("x") as file:
        json.dump(asdict(manifest), file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    return draft


_COLLECTION = re.compile(r"(?P<store>[0-9a-f]{12})-(?P<entity>[0-9a-f]{32})\.[0-9]+")
"""Names of collections; they hold the beginning of the store's id."""
_log = logging.getLogger(__name__)


def recover_manifest(
    path: Path,
    *,
    identities: Sequence[Identity],
    digests: Collection[str],
    chroma: Path,
    cure: str,
) -> Manifest:
    """Write the manifest again; a damaged one is moved aside.

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
        "%s was lost and is written again from the catalogs%s",
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

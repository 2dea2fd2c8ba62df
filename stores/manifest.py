"""`store.json`: describes a store in one small file that is written atomically."""

import json
import os
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path

from secondhop.errors import CorruptStoreError, SchemaVersionError
from secondhop.stores.rebuild_command import rebuild_command

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The description of one store."""

    store_id: str
    """Keeps the collections of two stores on one Chroma server apart."""
    embedder_id: str
    """The model for new entities. Each entity's catalog names its own."""
    dimension: int
    format_version: int = FORMAT_VERSION


def read_manifest(path: Path) -> Manifest | None:
    """The manifest at this path; None if there is no store yet.

    Raises:
        SchemaVersionError: written by a newer secondhop.
        CorruptStoreError: it cannot be read.
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
        raise CorruptStoreError(
            f"{path} is damaged ({error!r}); put a backup of it in place, or delete it and run "
            f"{rebuild_command(str(path.parent))} for all entities"
        ) from error


def create_manifest(path: Path, *, embedder_id: str, dimension: int) -> Manifest:
    """Write a new manifest, or read the one that another process has just written."""
    manifest = Manifest(store_id=uuid.uuid4().hex, embedder_id=embedder_id, dimension=dimension)
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
    """Replace the manifest; readers see the old or the new one."""
    _draft(path, manifest).replace(path)


def _draft(path: Path, manifest: Manifest) -> Path:
    draft = path.with_name(f"{path.name}.{uuid.uuid4().hex}")
    with draft.open("x") as file:
        json.dump(asdict(manifest), file, indent=2)
        file.flush()
        os.fsync(file.fileno())
    return draft

"""What the collections of an entity are called, in a Chroma that several stores may share."""

from collections.abc import Callable

from secondhop.stores.catalog.catalog import Identity
from secondhop.stores.entity_names import entity_digest
from secondhop.stores.manifest import Manifest


class CollectionNames:
    """Names for one store."""

    def __init__(self, manifest: Callable[[], Manifest | None]) -> None:
        self._manifest = manifest
        self._store_id: str | None = None

    def of(self, identity: Identity, *, ending: str = "") -> Callable[[], str | None]:
        """Gives the name, or None until the store exists.

        It is asked for at every use: the store may be created after the entity was opened.
        """
        rest = f"{entity_digest(identity.entity)}.{identity.generation}{ending}"

        def name() -> str | None:
            if self._store_id is None:
                manifest = self._manifest()
                self._store_id = manifest.store_id if manifest else None
            return None if self._store_id is None else f"{self._store_id[:12]}-{rest}"

        return name

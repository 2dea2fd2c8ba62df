"""Where the vectors of an entity are: in the store's folder, or on a Chroma server.

The entity's catalog says where (`Identity.server`). In the wrong place, the vectors would seem to
be lost, and deleting the entity there would leave them behind.
"""

from dataclasses import replace

from secondhop.errors import StoreError
from secondhop.stores.catalog.catalog import Catalog, Identity
from secondhop.stores.vectors.chroma_server import server_name

FOLDER = ""
"""The place of vectors that are in the store's folder."""


class VectorsElsewhereError(StoreError):
    """The vectors of an entity are not where they were looked for."""

    def __init__(self, entity: str, *, place: str) -> None:
        where = "in the store's own folder"
        way = "leave --chroma, SECONDHOP_CHROMA and `chroma_url` out"
        if place:
            where = f"on the Chroma server {place}"
            way = f"name it: --chroma {place}, or `chroma_url`"
        super().__init__(
            f"the vectors of entity {entity!r} are {where}; {way}. Nothing "
            f"was changed. (`secondhop reindex` makes new ones in the place you name.)"
        )
        self.entity, self.place = entity, place


def place_of(server: str | None) -> str:
    """Where a store with this Chroma server, or without one, keeps its vectors."""
    return server_name(server) if server else FOLDER


def identity_at(place: str, catalog: Catalog) -> Identity:
    """The catalog's identity with this place, if its vectors are there or may be there.

    Raises:
        VectorsElsewhereError: they are on a server but `place` is the folder, or the reverse.
    """
    known = catalog.identity()
    away = known.server is not None and bool(known.server) != bool(place)
    if away and catalog.passage_count():
        raise VectorsElsewhereError(known.entity, place=known.server or FOLDER)
    return replace(known, server=place)

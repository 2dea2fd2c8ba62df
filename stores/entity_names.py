"""Turns the names of entities into names for folders, collections and rows."""

import hashlib
import re

from secondhop.errors import UsageError

LONGEST_ENTITY = 512
"""The most characters that an entity's name may have."""


def entity_slug(entity: str) -> str:
    """A readable folder name; different entities get different names.

    Raises:
        UsageError: the name is empty, longer than 512 characters, or not valid Unicode.
    """
    if not 0 < len(entity) <= LONGEST_ENTITY:
        raise UsageError(
            f"an entity's name must have 1 to {LONGEST_ENTITY} characters, and this one has "
            f"{len(entity)}"
        )
    try:
        entity.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the entity's name {entity!r} is not valid UTF-8: it holds half of a character; "
            f"choose another name"
        ) from error
    readable = re.sub("[^a-z0-9]+", "-", entity.lower()).strip("-")[:32] or "entity"
    return f"{readable}-{entity_digest(entity)[:32]}"


def entity_digest(entity: str) -> str:
    """The name's SHA-256 in hex digits."""
    return hashlib.sha256(entity.encode("utf-8", "surrogatepass")).hexdigest()

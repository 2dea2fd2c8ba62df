"""Names of entities as names of folders, collections and rows."""

import hashlib
import re

from secondhop.errors import UsageError

LONGEST_ENTITY = 512
"""Characters in an entity's name."""


def entity_slug(entity: str) -> str:
    """A folder name that reads like the entity and is its own: names that differ, differ here.

    Raises:
        UsageError: the name is empty, longer than 512 characters, or no valid Unicode.
    """
    if not 0 < len(entity) <= LONGEST_ENTITY:
        raise UsageError(
            f"an entity's name has 1 to {LONGEST_ENTITY} characters, this one {len(entity)}"
        )
    try:
        entity.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the entity's name {entity!r} holds half of a character, as a name that is not UTF-8 "
            f"does; give it another one"
        ) from error
    readable = re.sub("[^a-z0-9]+", "-", entity.lower()).strip("-")[:32] or "entity"
    return f"{readable}-{entity_digest(entity)}"


def entity_digest(entity: str) -> str:
    """32 hex digits."""
    return hashlib.sha256(entity.encode("utf-8", "surrogatepass")).hexdigest()[:32]

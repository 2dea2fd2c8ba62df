"""Parsed playbooks, kept as JSON in the user's cache: YAML takes a third of a second a process.

The cache is a copy and never an authority: one that is missing, broken, of other playbooks or
not writable costs the time to parse them, and nothing else.
"""

import json
import logging
import os
import tempfile
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

logger = logging.getLogger(__name__)

FORMAT = 1
"""Grows when the file's form changes."""


def compiled(
    texts: Mapping[str, str], *, cache: Path, parse: Callable[[str, str], Any]
) -> dict[str, Any]:
    """Each text as parsed, by file name; from the cache when it holds exactly these texts.

    Args:
        parse: (text, file name) → values that JSON can hold; what it raises passes through.
    """
    digest = digest_of(texts)
    kept = read_compiled(cache, digest=digest)
    if kept is not None:
        return kept
    documents = {name: parse(text, name) for name, text in texts.items()}
    write_compiled(cache, documents, digest=digest)
    return documents


def digest_of(texts: Mapping[str, str]) -> str:
    """Of names and texts, as 64 hexadecimal digits."""
    parts = json.dumps([FORMAT, list(texts.items())])
    return sha256(parts.encode()).hexdigest()


def sealed(body: bytes, *, digest: str) -> bytes:
    """The first line of a cache file: only this body, made from these texts, has it."""
    return sha256(digest.encode() + body).hexdigest().encode()


def read_compiled(cache: Path, *, digest: str) -> dict[str, Any] | None:
    """The documents of a cache file, or None when it is damaged or not of this digest."""
    try:
        seal, _, body = cache.read_bytes().partition(b"\n")
    except OSError as error:
        logger.debug("no parsed playbooks in %s: %s", cache, error)
        return None
    return dict(json.loads(body)) if seal == sealed(body, digest=digest) else None


def write_compiled(cache: Path, documents: Mapping[str, Any], *, digest: str) -> None:
    """Write whole or not at all."""
    body = json.dumps(documents).encode()
    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        descriptor, part = tempfile.mkstemp(dir=cache.parent, prefix=".playbooks-")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(sealed(body, digest=digest) + b"\n" + body)
            os.replace(part, cache)
        except OSError:
            Path(part).unlink(missing_ok=True)
            raise
    except OSError as error:
        logger.debug("parsed playbooks are not kept in %s: %s", cache, error)

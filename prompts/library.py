"""The playbooks: intents of life and work, and the facets that a good answer to each needs.

They are in `prompts/playbooks/<domain>.yaml`, one file per domain. `tests/prompts` states what each
must contain.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Final

from platformdirs import user_cache_path
from pydantic import ConfigDict, TypeAdapter

from secondhop.whole_files import write_whole

logger = logging.getLogger(__name__)

SLOT: Final = "{topic}"
"""Stands for the question's own noun phrase in a query."""

_EXACT: Final = ConfigDict(extra="forbid")
"""Makes a misspelt key an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaybookFacet:
    """One kind of memory that a good answer needs."""

    __pydantic_config__ = _EXACT

    name: str
    why: str
    hop: int
    weight: float = 1.0
    queries: tuple[str, ...]
    """Phrased like the memories they look for; they may contain `SLOT`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """One situation behind a question."""

    __pydantic_config__ = _EXACT

    name: str
    domain: str = ""
    asks: tuple[str, ...]
    """Questions as people type them."""
    facets: tuple[PlaybookFacet, ...]


_INTENTS: Final = TypeAdapter(tuple[Intent, ...])


@lru_cache(maxsize=1)
def shipped_intents() -> tuple[Intent, ...]:
    """Every intent that ships with secondhop, ordered by file and position."""
    folder = files("secondhop.prompts") / "playbooks"
    paths = sorted(folder.iterdir(), key=lambda file: file.name)
    texts = [path.read_text(encoding="utf-8") for path in paths if path.name.endswith(".yaml")]
    return parsed_once(texts, folder=user_cache_path("secondhop", appauthor=False))


def parsed_once(texts: Iterable[str], *, folder: Path) -> tuple[Intent, ...]:
    """The intents of several files, cached as JSON because YAML takes 0.3 s per process.

    The name of the cache file has a hash of the texts. If the file is missing, broken or not
    writable, the texts are parsed, which only costs time. Cached files of other texts are deleted.
    """
    known = list(texts)
    digest = sha256("\0".join(known).encode()).hexdigest()
    kept = folder / f"playbooks-{digest[:16]}.json"
    try:
        return _INTENTS.validate_json(kept.read_bytes())
    except (OSError, ValueError) as error:
        logger.debug("no parsed playbooks in %s: %s", kept, error)
    intents = tuple(intent for text in known for intent in parse_playbook(text))
    try:
        write_whole(kept, _INTENTS.dump_json(intents))
        for old in folder.glob("playbooks*.json"):
            if old != kept:
                old.unlink(missing_ok=True)
    except OSError as error:
        logger.debug("parsed playbooks are not kept in %s: %s", kept, error)
    return intents


def parse_playbook(text: str) -> tuple[Intent, ...]:
    """The intents of one file's text. Raises ValueError if an intent or facet lacks a field, or has
    an unknown or wrong one."""
    import yaml

    document = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    rows = [{**row, "domain": document["domain"]} for row in document["intents"]]
    return _INTENTS.validate_python(rows)

"""The playbooks: intents of ordinary life and work, and the facets a good answer to each needs.

`prompts/playbooks/<domain>.yaml`, one file a domain; `ARCHITECTURE.md` says how to write one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

import yaml

from secondhop.errors import SecondhopError

SLOT = "{topic}"
"""Stands in a query for the question's own noun phrase."""


class PlaybookError(SecondhopError):
    """A playbook file is not as it must be; the message names file, intent and fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaybookFacet:
    """One kind of memory that a good answer needs."""

    name: str
    why: str
    hop: int
    weight: float
    queries: tuple[str, ...]
    """Phrased like the memories they look for; may hold the slot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """One situation behind a question."""

    name: str
    domain: str
    asks: tuple[str, ...]
    """Questions as people type them."""
    facets: tuple[PlaybookFacet, ...]


@lru_cache(maxsize=1)
def shipped_intents() -> tuple[Intent, ...]:
    """Every intent that ships with secondhop, ordered by file and place."""
    folder = files("secondhop.prompts") / "playbooks"
    return read_intents(sorted(folder.iterdir(), key=lambda file: file.name))


def read_intents(paths: Iterable[Traversable]) -> tuple[Intent, ...]:
    """Intents of playbook files, in order.

    Raises:
        PlaybookError: not YAML, a missing or unknown field, a wrong type, a name used twice.
    """
    intents: list[Intent] = []
    for path in paths:
        if path.name.endswith(".yaml"):
            intents += parse_playbook(path.read_text(encoding="utf-8"), name=path.name)
    names = [intent.name for intent in intents]
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise PlaybookError(f"intent names used twice: {', '.join(doubled)}")
    return tuple(intents)


def parse_playbook(text: str, *, name: str) -> list[Intent]:
    """The intents of one file's text."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        document = yaml.load(text, Loader=loader)
        refuse_unknown(document, {"domain", "intents"}, where="file")
        domain = document["domain"]
        return [parse_intent(raw, domain=domain) for raw in document["intents"]]
    except (yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise PlaybookError(f"{name}: {type(error).__name__}: {error}") from error


def parse_intent(raw: dict[str, Any], *, domain: str) -> Intent:
    """One intent; unknown keys are refused, so that a misspelt one is not lost."""
    refuse_unknown(raw, {"name", "asks", "facets"}, where=str(raw.get("name", "?")))
    return Intent(
        name=raw["name"],
        domain=domain,
        asks=tuple(map(str, raw["asks"])),
        facets=tuple(parse_facet(facet, intent=raw["name"]) for facet in raw["facets"]),
    )


def parse_facet(raw: dict[str, Any], *, intent: str) -> PlaybookFacet:
    """One facet of an intent."""
    refuse_unknown(raw, {"name", "why", "hop", "weight", "queries"}, where=intent)
    return PlaybookFacet(
        name=str(raw["name"]),
        why=str(raw["why"]),
        hop=int(raw["hop"]),
        weight=float(raw.get("weight", 1.0)),
        queries=tuple(map(str, raw["queries"])),
    )


def refuse_unknown(raw: dict[str, Any], known: set[str], *, where: str) -> None:
    """Raises ValueError for keys that nothing reads."""
    unknown = sorted(set(raw) - known)
    if unknown:
        raise ValueError(f"{where}: unknown keys {', '.join(unknown)}")

"""The playbooks: intents of ordinary life and work, and the facets a good answer to each needs.

`prompts/playbooks/<domain>.yaml`, one file a domain; `tests/prompts` says what each must hold.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from platformdirs import user_cache_path

from secondhop.errors import SecondhopError
from secondhop.prompts.compiled import compiled

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
    texts = playbook_texts(sorted(folder.iterdir(), key=lambda file: file.name))
    cache = user_cache_path("secondhop", appauthor=False) / "playbooks.json"
    return distinct_intents(compiled(texts, cache=cache, parse=parse_yaml))


def read_intents(paths: Iterable[Traversable]) -> tuple[Intent, ...]:
    """Intents of playbook files, in order.

    Raises:
        PlaybookError: not YAML, a missing or unknown field, a wrong type, a name used twice.
    """
    texts = playbook_texts(paths)
    return distinct_intents({name: parse_yaml(text, name) for name, text in texts.items()})


def playbook_texts(paths: Iterable[Traversable]) -> dict[str, str]:
    """The texts of those files that are playbooks, by file name."""
    return {
        path.name: path.read_text(encoding="utf-8") for path in paths if path.name.endswith(".yaml")
    }


def distinct_intents(documents: Mapping[str, Any]) -> tuple[Intent, ...]:
    """The intents of all documents, by file name; raises PlaybookError."""
    intents = [
        intent for name, document in documents.items() for intent in as_intents(document, name=name)
    ]
    names = [intent.name for intent in intents]
    doubled = sorted(name for name, times in Counter(names).items() if times > 1)
    if doubled:
        raise PlaybookError(f"intent names used twice: {', '.join(doubled)}")
    return tuple(intents)


def parse_playbook(text: str, *, name: str) -> list[Intent]:
    """The intents of one file's text; raises PlaybookError."""
    return as_intents(parse_yaml(text, name), name=name)


def parse_yaml(text: str, name: str) -> Any:
    """A file's text as plain values; raises PlaybookError."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(text, Loader=loader)
    except (yaml.YAMLError, ValueError) as error:
        raise PlaybookError(f"{name}: {type(error).__name__}: {error}") from error


def as_intents(document: Any, *, name: str) -> list[Intent]:
    """The intents of one file as parsed; raises PlaybookError."""
    try:
        refuse_unknown(document, {"domain", "intents"}, where="file")
        domain = document["domain"]
        return [parse_intent(raw, domain=domain) for raw in document["intents"]]
    except (KeyError, TypeError, ValueError) as error:
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

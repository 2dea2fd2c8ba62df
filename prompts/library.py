"""The playbooks: intents of ordinary life and work, and the facets a good answer to each needs.

`prompts/playbooks/<domain>.yaml`, one file a domain; `tests/prompts` says what each must hold.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import chain
from typing import Any, cast

from platformdirs import user_cache_path

from secondhop.errors import SecondhopError
from secondhop.prompts.compiled import compiled

SLOT = "{topic}"
"""Stands in a query for the question's own noun phrase."""

SUFFIX = ".yaml"
"""Of playbook files."""


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
    documents = compiled(texts, cache=cache, parse=parse_yaml)
    return distinct(chain.from_iterable(as_intents(documents[name], name=name) for name in texts))


def playbook_texts(paths: Iterable[Traversable]) -> dict[str, str]:
    """The texts of those files that are playbooks, by file name; raises PlaybookError."""
    return {path.name: text_of(path) for path in paths if path.name.endswith(SUFFIX)}


def text_of(path: Traversable) -> str:
    """A file's text; raises PlaybookError."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise PlaybookError(f"{path.name}: it is no UTF-8 text") from error


def distinct(intents: Iterable[Intent]) -> tuple[Intent, ...]:
    """The same, in order; raises PlaybookError when two have one name."""
    kept = tuple(intents)
    doubled = sorted(name for name, times in Counter(i.name for i in kept).items() if times > 1)
    if doubled:
        raise PlaybookError(f"intent names used twice: {', '.join(doubled)}")
    return kept


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
        raise PlaybookError(f"{name}: not YAML: {error}") from error


def as_intents(document: Any, *, name: str) -> list[Intent]:
    """The intents of one file as parsed; raises PlaybookError."""
    try:
        file = fields(document, {"domain", "intents"}, where="file")
        domain = str(file["domain"])
        intents = [parse_intent(raw, domain=domain) for raw in rows(file, "intents", where="file")]
    except KeyError as error:
        raise PlaybookError(f"{name}: {error.args[0]!r} is missing") from error
    except ValueError as error:
        raise PlaybookError(f"{name}: {error}") from error
    if not intents:
        raise PlaybookError(f"{name}: there is no intent in it")
    return intents


def parse_intent(raw: object, *, domain: str) -> Intent:
    """One intent; raises KeyError or ValueError."""
    intent = fields(raw, {"name", "asks", "facets"}, where="intent")
    name = str(intent["name"])
    return Intent(
        name=name,
        domain=domain,
        asks=tuple(map(str, rows(intent, "asks", where=name))),
        facets=tuple(parse_facet(one, intent=name) for one in rows(intent, "facets", where=name)),
    )


def parse_facet(raw: object, *, intent: str) -> PlaybookFacet:
    """One facet of an intent; raises KeyError or ValueError."""
    facet = fields(raw, {"name", "why", "hop", "weight", "queries"}, where=intent)
    return PlaybookFacet(
        name=str(facet["name"]),
        why=str(facet["why"]),
        hop=whole(facet, "hop", where=intent),
        weight=number(facet, "weight", where=intent),
        queries=tuple(map(str, rows(facet, "queries", where=intent))),
    )


def fields(raw: object, known: set[str], *, where: str) -> dict[str, Any]:
    """A mapping with these keys alone; raises ValueError, so that a misspelt one is not lost."""
    if not isinstance(raw, dict):
        keys = ", ".join(sorted(known))
        raise ValueError(f"{where}: a mapping with the keys {keys} should stand here, not {raw!r}")
    given = cast("dict[str, Any]", raw)
    unknown = sorted(str(key) for key in given if key not in known)
    if unknown:
        raise ValueError(f"{where_of(given, where)}: unknown keys {', '.join(unknown)}")
    return given


def where_of(given: Mapping[str, Any], where: str) -> str:
    """An intent by its name, where it has one."""
    return str(given.get("name", where)) if where == "intent" else where


def rows(given: Mapping[str, Any], key: str, *, where: str) -> list[Any]:
    """The list under a key; raises KeyError or ValueError."""
    found = given[key]
    if not isinstance(found, list):
        raise ValueError(f"{where}: {key} must be a list, not {found!r}")
    return found  # pyright: ignore[reportUnknownVariableType] - YAML


def whole(given: Mapping[str, Any], key: str, *, where: str) -> int:
    """The whole number under a key; raises KeyError or ValueError."""
    found = given[key]
    if not isinstance(found, int) or isinstance(found, bool):
        raise ValueError(f"{where}: {key} must be a whole number, not {found!r}{cure(found, key)}")
    return found


def number(given: Mapping[str, Any], key: str, *, where: str) -> float:
    """The number under a key, 1 where there is none; raises ValueError."""
    found = given.get(key, 1.0)
    if not isinstance(found, int | float) or isinstance(found, bool):
        raise ValueError(f"{where}: {key} must be a number, not {found!r}{cure(found, key)}")
    return float(found)


def cure(found: object, key: str) -> str:
    """What to write in the place of a number in quotes, which YAML takes for a text; else ""."""
    is_quoted = isinstance(found, str) and found.strip().replace(".", "", 1).isdecimal()
    return f"; write it without quotes, {key}: {found}" if is_quoted else ""

"""Settings that an entity asks for itself: kept in its store, used by every interface.

What the caller sets goes before them, and they go before what a settings file or the defaults say.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, TypeAlias, cast

from pydantic import TypeAdapter, ValidationError

from secondhop.errors import UsageError
from secondhop.nodes.config import Config, RankingSettings
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallState

KeptValue: TypeAlias = str | float

KEEPABLE = (
    "ranking.freshness",
    "ranking.recency",
    "ranking.recency_days",
    "ranking.source_priority",
)
"""What may be kept with an entity: how its own memories age, and which of them are believed."""

_PART = "ranking."
_RANKING = TypeAdapter(RankingSettings)


def checked_changes(changes: object) -> dict[str, KeptValue | None]:
    """The changes, each with a value that its setting can have.

    Raises:
        UsageError: one cannot be.
    """
    if not isinstance(changes, Mapping):
        raise UsageError(
            f'settings must look like {{"ranking.recency": "always"}}, not {changes!r:.80}'
        )
    checked: dict[str, KeptValue | None] = {}
    for name, value in cast(Mapping[object, object], changes).items():
        kept = checked_name(name)
        checked[kept] = None if value is None else checked_setting(kept, value)
    return checked


def checked_setting(name: str, value: object) -> KeptValue:
    """The value as the setting has it.

    Raises:
        UsageError: no such setting, one that belongs to no entity, or a value that it cannot have.
    """
    field = checked_name(name).removeprefix(_PART)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UsageError(f"{name} cannot be {value!r}: give a text or a number")
    if not str(value).isprintable():
        raise UsageError(f"{name} cannot be {value!a}: it has characters that cannot be written")
    try:
        checked: KeptValue = getattr(_RANKING.validate_python({field: value}), field)
    except ValidationError as error:
        why = told(error)
        raise UsageError(why if field in why else f"{name} cannot be {value!r}: {why}") from error
    return checked


def checked_name(name: object) -> str:
    """The name of a setting that may be kept with an entity.

    Raises:
        UsageError: there is none of that name.
    """
    if isinstance(name, str) and name in KEEPABLE:
        return name
    near = get_close_matches(str(name), KEEPABLE, n=1, cutoff=0.8)
    hint = f"did you mean {near[0]}? " if near else ""
    raise UsageError(
        f"{name!r} is no setting that can be kept with an entity; {hint}"
        f"These can: {', '.join(KEEPABLE)}"
    )


def understood(texts: Mapping[str, str]) -> dict[str, KeptValue]:
    """The settings that a store keeps, without those that only another version understands."""
    known: dict[str, KeptValue] = {}
    for name, text in texts.items():
        try:
            known[name] = checked_setting(name, text)
        except UsageError:
            continue
    return known


async def settings_of_entity(services: Services) -> dict[str, KeptValue]:
    """What the entity asks for, and the caller has not decided himself."""
    if services.kept_settings is None:
        return {}
    kept = understood(await services.kept_settings.kept_settings())
    return {name: value for name, value in kept.items() if name not in services.decided}


def decided_by_caller(settings: Config, names: Collection[str] | None = None) -> frozenset[str]:
    """Names of the settings that no entity changes; default those with another value than ships.

    Raises:
        UsageError: there is no setting of one of these names.
    """
    given, shipped = settings.flat(), Config().flat()
    if names is None:
        return frozenset(name for name, value in given.items() if value != shipped[name])
    if unknown := sorted(set(names) - given.keys()):
        raise UsageError(f"decided names no setting: {', '.join(map(repr, unknown))}")
    return frozenset(names)


def ranking_in(state: RecallState, services: Services) -> RankingSettings:
    """The ranking settings of this recall: the caller's, with what its entity asks for."""
    return ranking_with(services.settings.ranking, state.get("kept_settings", {}))


def ranking_with(ranking: RankingSettings, kept: Mapping[str, KeptValue]) -> RankingSettings:
    """The settings with those of an entity.

    >>> ranking_with(RankingSettings(), {"ranking.recency": "never"}).recency
    'never'
    """
    changes: dict[str, Any] = {name.removeprefix(_PART): value for name, value in kept.items()}
    return replace(ranking, **changes) if changes else ranking


def told(error: ValidationError) -> str:
    """The first of its problems, with the setting's name where it is known; ours in our words."""
    problem = error.errors()[0]
    field = ".".join(map(str, problem["loc"]))
    where = f"{field} cannot be {problem['input']!r}: " if field else ""
    said = problem["msg"].removeprefix("Value error, ")
    return where + said.replace(f"{RankingSettings.__name__}.", _PART)

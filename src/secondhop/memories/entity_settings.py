"""Settings that are kept with an entity: the library, the CLI and MCP all use them."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from secondhop.graph.result import Frozen
from secondhop.nodes.config import Config
from secondhop.nodes.entity_config import (
    KEEPABLE,
    KeptValue,
    checked_changes,
    checked_setting,
    understood,
)
from secondhop.nodes.services import Services
from secondhop.stores.entity_store import EntityStore

SaidBy: TypeAlias = Literal["caller", "entity", "settings", "default"]


class SettingInForce(Frozen):
    """What a setting is for this entity, and who says so."""

    value: KeptValue
    said_by: SaidBy
    """caller: given for this very opening; entity: kept with it; settings: given as a file."""


class EntitySettings(Frozen):
    """The settings that may be kept with an entity."""

    kept: dict[str, KeptValue]
    """Those that are."""
    in_force: dict[str, SettingInForce]
    """All of them, as the next recall of this opening has them."""
    dry_run: bool = False
    """Nothing was written: it is how they would be."""


async def entity_settings(store: EntityStore, services: Services) -> EntitySettings:
    """See `Maintenance.asettings`."""
    return described(understood(await store.kept_settings()), services)


async def keep_settings(
    store: EntityStore,
    services: Services,
    changes: Mapping[str, KeptValue | None],
    *,
    dry_run: bool = False,
) -> EntitySettings:
    """See `Maintenance.akeep_settings`."""
    checked = checked_changes(changes)
    before = await store.kept_settings()
    texts = {
        name: None if value is None else str(value)
        for name, value in checked.items()
        if value is not None or name in before
    }
    after = understood({n: v for n, v in ({**before, **texts}).items() if v is not None})
    if texts and not dry_run:
        await store.keep_settings(texts)
    return described(after, services).model_copy(update={"dry_run": dry_run})


def described(kept: Mapping[str, KeptValue], services: Services) -> EntitySettings:
    """What is kept, and what holds for the entity."""
    return EntitySettings(
        kept=dict(sorted(kept.items())),
        in_force={name: in_force(name, kept, services) for name in KEEPABLE},
    )


def in_force(name: str, kept: Mapping[str, KeptValue], services: Services) -> SettingInForce:
    """What a setting is where these are kept, and who says so."""
    given = services.settings.flat()[name]
    if name in services.decided:
        return SettingInForce(value=checked_setting(name, given), said_by="caller")
    if name in kept:
        return SettingInForce(value=kept[name], said_by="entity")
    ships = given == Config().flat()[name]
    said_by: SaidBy = "default" if ships else "settings"
    return SettingInForce(value=checked_setting(name, given), said_by=said_by)

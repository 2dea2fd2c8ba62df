"""The part of `Recall` that keeps settings with the entity, for whoever asks."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from secondhop.blocking import blocking
from secondhop.graph.result import Frozen
from secondhop.nodes.entity_config import (
    KEEPABLE,
    KeptValue,
    checked_changes,
    checked_setting,
    understood,
)
from secondhop.nodes.services import Services
from secondhop.nodes.settings import RecallSettings
from secondhop.stores.entity_store import EntityStore
from secondhop.sync_door import SyncDoor

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


class KeepsSettings:
    """Methods of `Recall`: settings that every door heeds, in every process."""

    _door: SyncDoor
    _store: EntityStore
    _services: Services

    async def aentity_settings(self) -> EntitySettings:
        """What is kept with the entity, and what holds for it. Writes nothing."""
        return self._told(understood(await self._store.kept_settings()))

    entity_settings = blocking(aentity_settings)

    async def akeep_settings(
        self, changes: Mapping[str, KeptValue | None], *, dry_run: bool = False
    ) -> EntitySettings:
        """Keep settings with the entity: {"ranking.recency": "always"}; None takes one back.

        What the caller gives to `open` goes before them; a settings file and the defaults come
        after. Recalls and sessions heed them from the next question on, in other processes too.

        Args:
            changes: of "ranking.recency" ("auto": when the question is about now, "always",
                "never"), "ranking.recency_days", "ranking.source_priority", "ranking.freshness".
            dry_run: only tell how they would be.

        Raises:
            UsageError: another setting, or a value that it cannot have; nothing was changed.
        """
        checked = checked_changes(changes)
        before = await self._store.kept_settings()
        texts = {
            name: None if value is None else str(value)
            for name, value in checked.items()
            if value is not None or name in before
        }
        after = understood({n: v for n, v in ({**before, **texts}).items() if v is not None})
        if texts and not dry_run:
            await self._store.keep_settings(texts)
        return self._told(after).model_copy(update={"dry_run": dry_run})

    keep_settings = blocking(akeep_settings)

    # --- inside ---

    def _told(self, kept: Mapping[str, KeptValue]) -> EntitySettings:
        return EntitySettings(
            kept=dict(sorted(kept.items())),
            in_force={name: in_force(name, kept, self._services) for name in KEEPABLE},
        )


def in_force(name: str, kept: Mapping[str, KeptValue], services: Services) -> SettingInForce:
    """What a setting is where these are kept, and who says so."""
    given = services.settings.flat()[name]
    if name in services.decided:
        return SettingInForce(value=checked_setting(name, given), said_by="caller")
    if name in kept:
        return SettingInForce(value=kept[name], said_by="entity")
    ships = given == RecallSettings().flat()[name]
    said_by: SaidBy = "default" if ships else "settings"
    return SettingInForce(value=checked_setting(name, given), said_by=said_by)

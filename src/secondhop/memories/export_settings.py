"""The settings kept with an entity, in the first line of an export."""

from collections.abc import Iterable, Mapping
from itertools import chain

from secondhop.errors import UsageError
from secondhop.memories.export_line import object_of
from secondhop.nodes.entity_config import checked_changes, understood
from secondhop.stores.protocols import SettingsKeeping

_KEY = "settings"


async def told_settings(store: SettingsKeeping) -> dict[str, object]:
    """What a header adds; nothing, where no setting is kept."""
    kept = understood(await store.kept_settings())
    return {_KEY: dict(sorted(kept.items()))} if kept else {}


def settings_of(lines: Iterable[str]) -> tuple[dict[str, str], Iterable[str]]:
    """(the settings of the first line as a store keeps them, all lines).

    Raises:
        UsageError: the first line is none, or has a setting that cannot be.
    """
    rest = iter(lines)
    first = next(rest, "")
    header: Mapping[str, object] = object_of(first, 1) if first.strip() else {}
    try:
        checked = checked_changes(header[_KEY]) if _KEY in header else {}
    except UsageError as error:
        raise UsageError(f"line 1 of the export cannot be read: {error}") from error
    kept = {name: str(value) for name, value in checked.items() if value is not None}
    return kept, chain([first], rest)


async def take_over(
    settings: Mapping[str, str], store: SettingsKeeping, *, dry_run: bool
) -> list[str]:
    """Keep those of which the entity has none; their names. What it has stays as it is."""
    kept = await store.kept_settings()
    missing = {name: value for name, value in settings.items() if name not in kept}
    if missing and not dry_run:
        await store.keep_settings(missing)
    return sorted(missing)

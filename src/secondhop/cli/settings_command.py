"""`secondhop settings`: the settings that are kept with an entity."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from secondhop.cli.options import Common, DryRun
from secondhop.errors import UsageError

if TYPE_CHECKING:
    from secondhop.memories.entity_settings import EntitySettings

Changes = Mapping[str, str | None]


def settings(
    common: Common,
    changes: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME=VALUE...]", help="To keep; NAME= keeps it no longer."),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Show or change the settings kept with an entity.

    Every recall of the entity uses them: in the library, on the command line and through MCP.
    ranking.recency=auto|always|never, ranking.recency_days=DAYS, ranking.freshness=0..1,
    ranking.source_priority="note=1, conversation=0.9".
    """
    tell(common, dict(change_of(one) for one in changes or ()), dry_run=dry_run)


def change_of(said: str) -> tuple[str, str | None]:
    """(name, value) of "NAME=VALUE"; None of "NAME=", which takes the setting back.

    Raises:
        UsageError: it has another form.
    """
    name, equals, value = (part.strip() for part in said.partition("="))
    if not equals:
        raise UsageError(f"{said!r} sets nothing; write NAME=VALUE, like ranking.recency=always")
    return name, value or None


def tell(common: Common, changes: Changes, *, dry_run: bool = False) -> None:
    """Make the changes, and tell how the settings stand, or how they would."""
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import print_json

    told = run(changed(common, changes, dry_run=dry_run))
    if common.json:
        print_json(told.model_dump(mode="json"))
    else:
        show_settings(told)


async def changed(common: Common, changes: Changes, *, dry_run: bool) -> "EntitySettings":
    """The settings of the entity, once they are changed.

    Raises:
        UnknownEntityError: nothing is stored for it: a misspelt name makes no entity.
        UsageError: a setting, or a value, that cannot be.
    """
    from secondhop.cli.opening import opened, store_of
    from secondhop.errors import UnknownEntityError
    from secondhop.settings import load_settings

    async with opened(common) as recall:
        kept = await recall.store.kept_settings()  # they outlive the last memory
        if not (kept or (await recall.memories.acounts()).memories):
            settings = load_settings()
            entity = common.entity or settings.entity
            raise UnknownEntityError(entity, store=str(store_of(common, settings)))
        return await recall.admin.akeep_settings(changes, dry_run=dry_run)


def show_settings(told: "EntitySettings") -> None:
    """One line a setting."""
    from secondhop.cli.terminal import clean, screen

    said_by = {
        "entity": "would be kept with the entity" if told.dry_run else "kept with the entity",
        "settings": "as the settings file says",
        "default": "as it ships",
        "caller": "as this program says",
    }
    for name, setting in told.in_force.items():
        value = clean(str(setting.value)) or "none"
        screen().print(f"{name}: {value} ({said_by[setting.said_by]})", soft_wrap=True)

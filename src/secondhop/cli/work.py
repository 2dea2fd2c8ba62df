"""What every command does: open the chosen store and entity, work in it, report the outcome."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from secondhop.cli.options import Common
from secondhop.cli.terminal import print_json, screen

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console

    from secondhop.annotate.settings import AnnotateSettings
    from secondhop.recall import Recall

T = TypeVar("T")


def in_memory(
    common: Common,
    work: Callable[["Recall"], Awaitable[T]],
    *,
    counting: bool = False,
    mending: bool = False,
    annotate: "AnnotateSettings | bool" = False,
) -> T:
    """Run the work in the store and entity of the options, as `opened`; returns its result."""
    from secondhop.cli.opening import opened, run

    async def done() -> T:
        async with opened(common, counting=counting, mending=mending, annotate=annotate) as recall:
            return await work(recall)

    return run(done())


def in_stored_memory(
    common: Common, work: Callable[["Recall"], Awaitable[T]], *, counting: bool = False
) -> T:
    """As `in_memory`, for a command that needs memories; raises UnknownEntityError if nothing is
    stored for the entity of the options."""
    from secondhop.cli.opening import expect_memories

    async def read(recall: "Recall") -> T:
        await expect_memories(recall, common)
        return await work(recall)

    return in_memory(common, read, counting=counting)


def tell(
    common: Common,
    told: "BaseModel | Mapping[str, object]",
    show: Callable[["Console"], None],
    *,
    dry_run: bool = False,
) -> None:
    """Print one JSON document with `--json` (`dry_run`: and say so in it), or else call `show`."""
    if not common.json:
        show(screen())
        return
    document = dict(told) if isinstance(told, Mapping) else told.model_dump(mode="json")
    print_json(document | ({"dry_run": True} if dry_run else {}))

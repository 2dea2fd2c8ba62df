"""The work of every command: opens the chosen memory, works in it, and reports the outcome."""

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
    """What the work brings in the memory that the options name.

    Args:
        counting: tokens will be counted; a missing token file is fetched or complained about now.
        mending: open it also where vectors are missing.
        annotate: how cues are written, and whether by itself while it is open.
    """
    from secondhop.cli.opening import opened, run

    async def done() -> T:
        async with opened(common, counting=counting, mending=mending, annotate=annotate) as recall:
            return await work(recall)

    return run(done())


def tell(
    common: Common,
    told: "BaseModel | Mapping[str, object]",
    show: Callable[["Console"], None],
    *,
    dry_run: bool = False,
) -> None:
    """One JSON document for programs, or what `show` prints for people.

    Args:
        dry_run: say in the document that nothing was done.
    """
    if not common.json:
        show(screen())
        return
    document = dict(told) if isinstance(told, Mapping) else told.model_dump(mode="json")
    print_json(document | ({"dry_run": True} if dry_run else {}))

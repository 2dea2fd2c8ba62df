"""`secondhop learning`: what resolved sessions taught."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from secondhop.cli.options import Common, DryRun
from secondhop.errors import UsageError

if TYPE_CHECKING:
    from secondhop.learning.records import Unlearned
    from secondhop.learning.service import Learning

T = TypeVar("T")


def learning(
    common: Common,
    forget: Annotated[
        list[str] | None,
        typer.Option(metavar="MEMORY_ID", help="Forget what was learned of it; may be repeated."),
    ] = None,
    forget_context: Annotated[
        str | None, typer.Option(metavar="ID", help="Forget what was learned in one context.")
    ] = None,
    forget_all: Annotated[
        bool, typer.Option("--forget-all", help="Forget everything that was learned.")
    ] = False,
    on: Annotated[
        bool | None,
        typer.Option("--on/--off", help="Learn from sessions, and use what was learned, or not."),
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Show, forget or switch off what sessions taught.

    A context is a kind of question, known by what helped with it: its words are not kept. The
    memories themselves stay; `secondhop forget` deletes them, and what was learned of them.
    """
    wanted = [bool(forget), forget_context is not None, forget_all, on is not None].count(True)
    if wanted > 1:
        raise UsageError("do one thing at a time: forget something, or switch learning on or off")
    if on is not None:
        switch(common, on=on, dry_run=dry_run)
    elif wanted:
        unlearn(common, forget or (), context=forget_context, dry_run=dry_run)
    else:
        show(common)


def show(common: Common) -> None:
    """Print what was learned, by context."""
    from secondhop.cli.learning_view import show_learned
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import print_json, screen

    report = run(of_learning(common, lambda learning: learning.areport()))
    if common.json:
        print_json(report.model_dump(mode="json"))
    else:
        show_learned(report, screen())


def unlearn(
    common: Common, memory_ids: Sequence[str], *, context: str | None, dry_run: bool
) -> None:
    """Forget what was learned of memories, in a context, or, with neither, everything."""
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import print_json, screen
    from secondhop.wording import counted

    async def work(learning: "Learning") -> "Unlearned":
        found = await learning.awould_forget(memory_ids, context_id=context)
        if dry_run:
            return found
        if memory_ids:
            await learning.aforget(memory_ids)
        elif context is not None:
            await learning.aforget_context(context)
        else:
            await learning.aforget_all()
        return found.model_copy(update={"dry_run": False})

    told = run(of_learning(common, work))
    if common.json:
        print_json(told.model_dump(mode="json"))
    else:
        done = "would forget" if dry_run else "forgot"
        memories = counted(told.memories, "memory")
        screen().print(f"{done} {memories} in {counted(told.contexts, 'context')}")


def switch(common: Common, *, on: bool, dry_run: bool) -> None:
    """Switch learning, and say how it stands, or how it would."""
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import print_json, screen

    async def work(learning: "Learning") -> bool:
        is_on = (await learning.areport()).on
        if dry_run:
            return is_on
        await learning.aswitch(on=on)
        return on

    is_on = run(of_learning(common, work))
    state = "on" if is_on else "off"
    if common.json:
        print_json({"on": is_on} | ({"dry_run": True, "would_be_on": on} if dry_run else {}))
    elif dry_run:
        would = "stay so" if is_on == on else f"be {'on' if on else 'off'}"
        screen().print(f"learning is {state}, and would {would}")
    else:
        screen().print(f"learning is {state}")


async def of_learning(common: Common, work: "Callable[[Learning], Awaitable[T]]") -> T:
    """What the work brings in the opened memory.

    Raises:
        UnknownEntityError: nothing is stored for the entity: there is nothing to learn of.
    """
    from secondhop.cli.opening import opened, store_of
    from secondhop.errors import UnknownEntityError
    from secondhop.settings import load_settings

    async with opened(common) as recall:
        if not (await recall.memories.acounts()).memories:
            settings = load_settings()
            entity = common.entity or settings.entity
            raise UnknownEntityError(entity, store=str(store_of(common, settings)))
        return await work(recall.learning)

"""`secondhop learning …`: see what resolved sessions have taught, take it along, forget it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from secondhop.cli.options import Common, DryRun, ExportFile
from secondhop.errors import UsageError

if TYPE_CHECKING:
    from secondhop.learning.records import Unlearned
    from secondhop.learning.service import Learning

T = TypeVar("T")


def show(common: Common) -> None:
    """Show what was learned, by context.

    A context is a kind of question, known by what helped with it: its words are not kept.
    """
    from secondhop.cli.learning_view import show_learned
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import print_json, screen

    report = run(of_learning(common, lambda learning: learning.report()))
    if common.json:
        print_json(report.model_dump(mode="json"))
    else:
        show_learned(report, screen())


def forget(
    common: Common,
    memory_ids: Annotated[list[str] | None, typer.Argument(metavar="[MEMORY_ID...]")] = None,
    context: Annotated[
        str | None, typer.Option("--context", metavar="ID", help="Forget one context.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Forget everything that was learned.")
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Forget what was learned of memories, in a context, or at all.

    The memories themselves stay; `secondhop forget` deletes them, and what was learned of them.
    """
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import counted, print_json, screen

    if [bool(memory_ids), context is not None, everything].count(True) != 1:
        raise UsageError("say what to forget: MEMORY_ID..., --context ID, or --all")

    async def work(learning: "Learning") -> "Unlearned":
        found = await learning.would_forget(memory_ids or (), context_id=context)
        if dry_run:
            return found
        if memory_ids:
            await learning.forget(memory_ids)
        elif context is not None:
            await learning.forget_context(context)
        else:
            await learning.forget_all()
        return found.model_copy(update={"dry_run": False})

    told = run(of_learning(common, work))
    if common.json:
        print_json(told.model_dump(mode="json"))
    else:
        done = "would forget" if dry_run else "forgot"
        memories = counted(told.memories, "memory", "memories")
        screen().print(f"{done} {memories} in {counted(told.contexts, 'context')}")


def export(common: Common, file: ExportFile = None) -> None:
    """Write all that was learned as one JSON document.

    No question's words are in it, and no vote: there are none.
    """
    import json

    from secondhop.cli.opening import run
    from secondhop.cli.terminal import counted, notices, print_json

    document = run(of_learning(common, lambda learning: learning.exported()))
    if file is None:
        print_json(document)
        return
    file.write_text(json.dumps(document, indent=2, ensure_ascii=True) + "\n", encoding="ascii")
    if common.json:
        print_json({"contexts": len(document["contexts"]), "file": str(file)})
    else:
        notices().print(f"exported {counted(len(document['contexts']), 'context')}")


def off(common: Common, dry_run: DryRun = False) -> None:
    """Stop learning from sessions, and using what was learned.

    What is known stays; `learning forget --all` forgets it, `learning on` undoes this.
    """
    switch(common, on=False, dry_run=dry_run)


def on(common: Common, dry_run: DryRun = False) -> None:
    """Learn from sessions again, and use what was learned."""
    switch(common, on=True, dry_run=dry_run)


def switch(common: Common, *, on: bool, dry_run: bool) -> None:
    """Do it, and tell how it stands, or how it would."""
    from secondhop.cli.opening import run
    from secondhop.cli.terminal import print_json, screen

    async def work(learning: "Learning") -> bool:
        is_on = (await learning.report()).on
        if dry_run:
            return is_on
        await learning.switch(on=on)
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
        if not (await recall.acounts()).memories:
            settings = load_settings()
            entity = common.entity or settings.entity
            raise UnknownEntityError(entity, store=str(store_of(common, settings)))
        return await work(recall.learning)


LEARNING: Mapping[str, Callable[..., None]] = {
    "show": show,
    "forget": forget,
    "export": export,
    "off": off,
    "on": on,
}
"""Commands of this file by their names on the command line."""

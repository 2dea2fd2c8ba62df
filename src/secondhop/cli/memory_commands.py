"""Commands for single memories: remember, correct, forget, and show their history."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from secondhop.cli.given_text import given_words
from secondhop.cli.options import Common, DryRun, SessionsPlace, moment
from secondhop.cli.work import in_memory, in_stored_memory, tell
from secondhop.errors import UsageError

if TYPE_CHECKING:
    from secondhop.graph.result import Frozen
    from secondhop.recall import Recall

MemoryId = Annotated[str, typer.Argument(metavar="MEMORY_ID")]
Salience = Annotated[
    float | None, typer.Option(min=0, max=1, metavar="S", help="How much it matters, 0..1. [0.5]")
]
ValidUntil = Annotated[
    datetime | None,
    typer.Option(parser=moment, metavar="ISO", help="When it expires."),
]


def given_expiry(text: str) -> datetime | Literal["none"]:
    """A moment, or "none"."""
    return "none" if text == "none" else moment(text)


NewExpiry = Annotated[
    Any,
    typer.Option(
        parser=given_expiry,
        metavar="ISO|none",
        help="When it expires; none: never.",
    ),
]


GivenMark = Annotated[
    Literal["core", "open", "none"] | None,
    typer.Option(
        metavar="core|open|none",
        help="How a briefing shows it: core always, open as a thing to do.",
    ),
]


def remember(
    common: Common,
    text: Annotated[
        str,
        typer.Argument(metavar="TEXT", help="The words, or a fact's value; - is standard input."),
    ],
    subject: Annotated[
        str | None, typer.Option(metavar="S", help="Store a fact: the person or thing it is about.")
    ] = None,
    attribute: Annotated[
        str | None, typer.Option(metavar="A", help="The fact's attribute; TEXT is its value.")
    ] = None,
    scope: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help='Store a preference: "always", or a context.'),
    ] = None,
    topic: Annotated[
        str, typer.Option(metavar="T", help="The preference's topic; a newer one replaces it.")
    ] = "",
    title: Annotated[str, typer.Option(metavar="TITLE", help="[the first words]")] = "",
    supersedes: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="A memory that it replaces.")
    ] = None,
    valid_until: ValidUntil = None,
    salience: Salience = None,
    mark: GivenMark = None,
    tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="A tag to filter recalls by.")
    ] = None,
    memory_id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="[one of its own]")
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Store one memory: words, a fact, or a preference.

    A fact replaces an earlier one with the same subject and attribute.
    """

    from secondhop.memories.building import rememberable

    words = given_words(text)

    async def work(recall: "Recall") -> "Frozen":
        return await recall.memories.aremember(
            rememberable(words, subject=subject, attribute=attribute, scope=scope, topic=topic),
            title=title,
            at=common.at,
            valid_until=valid_until,
            salience=salience,
            mark="" if mark is None or mark == "none" else mark,
            tags=tag or (),
            supersedes=supersedes or (),
            memory_id=memory_id,
            dry_run=dry_run,
        )

    told_of(common, work, counting=True)


def update(
    common: Common,
    memory_id: MemoryId,
    text: Annotated[
        str | None,
        typer.Argument(
            metavar="[TEXT]", help="New words, or a fact's new value; - is standard input."
        ),
    ] = None,
    valid_until: NewExpiry = None,
    salience: Salience = None,
    mark: GivenMark = None,
    replaced_by: Annotated[
        str | None, typer.Option(metavar="ID", help="The memory that replaces it.")
    ] = None,
    deprecate: Annotated[
        bool, typer.Option("--deprecate", help="It is no longer true, and nothing replaces it.")
    ] = False,
    restore: Annotated[bool, typer.Option("--restore", help="It is true again.")] = False,
    reason: Annotated[
        str, typer.Option(metavar="WHY", help="With --replaced-by or --deprecate: why.")
    ] = "",
    dry_run: DryRun = False,
) -> None:
    """Correct a memory, replace it, or restore it.

    The old text stays, superseded, and comes back only when asked for.
    """
    changed = not (text is None and valid_until is None and salience is None and mark is None)
    expect_one_change([changed, replaced_by is not None, deprecate, restore])
    if deprecate and not reason:
        raise UsageError("say why nothing takes its place: --deprecate --reason WHY")
    if reason and not (deprecate or replaced_by):
        raise UsageError("--reason goes with --deprecate or --replaced-by")

    words = None if text is None else given_words(text)

    async def work(recall: "Recall") -> "Frozen":
        memories = recall.memories
        if replaced_by is not None:
            return await memories.asupersede(memory_id, replaced_by, reason=reason, dry_run=dry_run)
        if deprecate:
            return await memories.adeprecate(memory_id, reason, at=common.at, dry_run=dry_run)
        if restore:
            return await memories.arestore(memory_id, dry_run=dry_run)
        return await memories.aupdate(
            memory_id,
            words,
            at=common.at,
            valid_until="" if valid_until == "none" else valid_until,
            salience=salience,
            mark="" if mark == "none" else mark,
            dry_run=dry_run,
        )

    told_of(common, work, counting=text is not None)


def expect_one_change(wanted: Sequence[bool]) -> None:
    """Raises UsageError unless exactly one kind of change is wanted."""
    if not any(wanted):
        raise UsageError(
            "nothing to update; give TEXT, --valid-until, --salience, --mark, --replaced-by, "
            "--deprecate or --restore"
        )
    if sum(wanted) > 1:
        raise UsageError("correct it, replace it, deprecate it or restore it: one at a time")


def forget(
    common: Common,
    memory_ids: Annotated[list[str], typer.Argument(metavar="MEMORY_ID...")],
    sessions: SessionsPlace = None,
    dry_run: DryRun = False,
) -> None:
    """Delete memories for good.

    Deletes everything the store keeps of them. The files they came from are not touched; delete
    them there, too.
    """

    async def work(recall: "Recall") -> "Frozen":
        return await recall.memories.aforget(*memory_ids, dry_run=dry_run)

    told_of(replace(common, sessions=sessions), work)


def history(common: Common, memory_id: MemoryId) -> None:
    """Show all versions of a memory, and what was done to them."""
    told_of(common, lambda recall: recall.memories.ahistory(memory_id))


def list_memories(
    common: Common,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[WORDS...]", help="Only those that have them.")
    ] = None,
) -> None:
    """List memories: all, or those with these words.

    Newest first; with words, memories that have them in the title come first.
    """
    from secondhop.cli.memory_view import listed, show_list

    found = in_stored_memory(common, lambda recall: recall.memories.afind(" ".join(words or ())))
    document = {"memories": [listed(one) for one in found]}
    tell(common, document, lambda console: show_list(found, console))


def facts(
    common: Common,
    subject: Annotated[str | None, typer.Argument(metavar="[SUBJECT]")] = None,
    attribute: Annotated[str | None, typer.Argument(metavar="[ATTRIBUTE]")] = None,
    as_of: Annotated[
        datetime | None,
        typer.Option(parser=moment, metavar="ISO", help="What was known then. [now]"),
    ] = None,
) -> None:
    """List facts by their exact names."""
    from secondhop.cli.memory_view import show_facts

    found = in_stored_memory(
        common, lambda recall: recall.memories.afacts(subject, attribute, as_of=as_of)
    )
    document = {"facts": [fact.model_dump(mode="json") for fact in found]}
    tell(common, document, lambda console: show_facts(found, console))


def told_of(
    common: Common, work: Callable[["Recall"], Awaitable["Frozen"]], *, counting: bool = False
) -> None:
    """Run the work in the opened store, and print what was done."""
    from secondhop.cli.memory_view import show_done

    done = in_memory(common, work, counting=counting)
    tell(common, done, lambda console: show_done(done, console))

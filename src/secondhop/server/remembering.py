"""Routes that store memories, facts, conversations and files."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, cast

from fastapi import APIRouter, Query, Request

from secondhop.errors import IngestError, UsageError
from secondhop.given_values import check_moments
from secondhop.ingest.cleaning import clean_memory
from secondhop.memories.records import (
    Forgotten,
    Kept,
    MemoryCues,
    MemoryHistory,
    StoredCue,
    StoredFact,
    Version,
)
from secondhop.observe.records import Observed
from secondhop.server.access import Caller, EntityName, Readable, Server, Writable, expect
from secondhop.server.bodies import Moment
from secondhop.server.memory_bodies import (
    Added,
    CueBody,
    EntityStats,
    Ledger,
    MemoriesBody,
    MemoryPage,
    ObserveBody,
    ReasonBody,
    RememberBody,
    SupersedeBody,
    UpdateBody,
)
from secondhop.stores.entity_names import entity_slug
from secondhop.stores.records import Memory
from secondhop.stores.store_address import files_of

router = APIRouter(tags=["memories"])

A_FILE = "# Garden\n\nThe tomatoes need water twice a week.\n"

DryRun = Annotated[bool, Query(description="Write nothing; tell what would be done.")]


@router.get("")
async def stats(recall: Readable, entity: EntityName) -> EntityStats:
    """How much is stored for the entity."""
    counts = await recall.memories.acounts()
    return EntityStats(
        entity=entity,
        memories=counts.memories,
        passages=counts.passages,
        tokens=counts.tokens,
        embedder=counts.embedder,
    )


@router.delete("", status_code=204)
async def delete_entity(
    server: Server, caller: Caller, entity: EntityName, everything: Literal["true"]
) -> None:
    """Delete everything that is stored of the entity, for good.

    `everything=true` says so: a memory's id that was not encoded, like `../../ana`, must not.
    """
    expect(caller, "write", entity=entity)
    await server.recalls.adelete_entity(entity)


@router.get("/memories")
async def list_memories(
    recall: Readable,
    after: Annotated[str, Query(max_length=500)] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> MemoryPage:
    """Memories as they are now, in the order of their ids."""
    page = list(await recall.memories.alist(after=after, limit=limit))
    return MemoryPage(memories=page, next=page[-1].memory_id if len(page) == limit else "")


@router.post("/memories", status_code=201)
async def add(recall: Writable, body: MemoriesBody) -> Added:
    """Store memories that you built, or texts."""
    memories = body.each(now=recall.memories.writing.clock())
    ledger = await recall.aadd(memories)
    memory_ids = await asyncio.to_thread(stored_ids, memories)
    return Added.model_validate(ledger.to_dict() | {"memory_ids": memory_ids})


@router.post("/remember", status_code=201)
async def remember(recall: Writable, body: RememberBody) -> Kept:
    """Store one memory: plain text, a fact or a preference."""
    given = dict(body)
    parts = {"text", "subject", "attribute", "scope", "topic"}
    return await recall.memories.aremember(
        body.what(), **{name: value for name, value in given.items() if name not in parts}
    )


@router.post("/observe")
async def observe(recall: Writable, body: ObserveBody) -> Observed:
    """Store the facts and preferences that the user states in messages."""
    how = body.model_dump(exclude={"messages"})
    return await recall.memories.aobserve([one.said() for one in body.messages], **how)


@router.get("/facts")
async def facts(
    recall: Readable,
    subject: str | None = None,
    attribute: str | None = None,
    as_of: Moment | None = None,
) -> list[StoredFact]:
    """Facts, optionally of one subject or attribute, the newest first."""
    return list(await recall.memories.afacts(subject, attribute, as_of=as_of))


@router.get("/cues")
async def cues(
    recall: Readable,
    after: Annotated[str, Query(max_length=600)] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> list[StoredCue]:
    """The cues of all memories, in the order of the cues' ids."""
    return list(await recall.memories.cues.alist(after=after, limit=limit))


# A memory id may contain "/", so the paths below end with it.


@router.get("/cues/{memory_id:path}")
async def cues_of(recall: Readable, memory_id: str) -> MemoryCues:
    """The cues of one memory."""
    return await recall.memories.cues.ashow(memory_id)


@router.post("/cues/{memory_id:path}", status_code=201)
async def add_cue(recall: Writable, memory_id: str, body: CueBody) -> StoredCue:
    """Add a cue: a request for which a memory matters."""
    return await recall.memories.cues.aadd(
        memory_id, body.text, broad=body.broad, dry_run=body.dry_run
    )


@router.delete("/cues/{cue_id:path}")
async def remove_cue(recall: Writable, cue_id: str, dry_run: DryRun = False) -> StoredCue:
    """Remove a cue; the memory stays."""
    return await recall.memories.cues.aremove(cue_id, dry_run=dry_run)


@router.get("/history/{memory_id:path}")
async def history(recall: Readable, memory_id: str) -> MemoryHistory:
    """All versions of a memory, and what was done to it."""
    return await recall.memories.ahistory(memory_id)


@router.post("/supersede/{memory_id:path}")
async def supersede(recall: Writable, memory_id: str, body: SupersedeBody) -> Kept:
    """Let another stored memory replace this one."""
    return await recall.memories.asupersede(
        memory_id, body.by, reason=body.reason, dry_run=body.dry_run
    )


@router.post("/deprecate/{memory_id:path}")
async def deprecate(recall: Writable, memory_id: str, body: ReasonBody) -> Kept:
    """Say that a memory no longer holds, though nothing replaces it."""
    return await recall.memories.adeprecate(memory_id, body.reason, dry_run=body.dry_run)


@router.post("/restore/{memory_id:path}")
async def restore(recall: Writable, memory_id: str, dry_run: DryRun = False) -> Kept:
    """Make a superseded, deprecated or expired memory hold again."""
    return await recall.memories.arestore(memory_id, dry_run=dry_run)


@router.get("/memories/{memory_id:path}")
async def get(recall: Readable, memory_id: str) -> Version:
    """A memory as it is now."""
    return await recall.memories.aget(memory_id)


@router.patch("/memories/{memory_id:path}")
async def update(recall: Writable, memory_id: str, body: UpdateBody) -> Kept:
    """Store a new version, or change expiry, salience or mark."""
    changes = body.model_dump(exclude={"text"})
    return await recall.memories.aupdate(memory_id, body.text, **changes)


@router.delete("/memories/{memory_id:path}")
async def forget(recall: Writable, memory_id: str, dry_run: DryRun = False) -> Forgotten:
    """Delete a memory for good."""
    return await recall.memories.aforget(memory_id, dry_run=dry_run)


@router.post(
    "/ingest",
    openapi_extra={"requestBody": {"content": {"*/*": {"example": A_FILE}}, "required": True}},
)
async def ingest(
    recall: Writable,
    server: Server,
    entity: EntityName,
    request: Request,
    name: Annotated[str, Query(min_length=1, max_length=150, examples=["notes.md"])],
    format: Annotated[str | None, Query(max_length=30)] = None,
    tag: Annotated[list[str] | None, Query(description="Added to all of it.")] = None,
    modified_at: Annotated[
        Moment | None, Query(description="Date of what has none of its own; default now.")
    ] = None,
    dry_run: DryRun = False,
) -> Ledger:
    """Store what a file contains. The body is the file, and `name` is its name.

    Uploading under the same name again replaces what that file said before.
    """
    check_moments(modified_at=modified_at)
    folder = files_of(server.store) / "entities" / entity_slug(entity) / "uploads"
    file = folder / safe_name(name)
    async with server.uploading(entity):
        try:
            await written(file, request.stream())
            if modified_at is not None:
                os.utime(file, times=(modified_at.timestamp(), modified_at.timestamp()))
            ledger = await recall.aingest(file, format=format, tags=tag or (), dry_run=dry_run)
        except IngestError as error:
            error.args = (below(folder, str(error)),)
            raise
        finally:  # a copy left here would outlive a later `forget`
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return Ledger.model_validate(below(folder, ledger.to_dict()))


def below(folder: Path, told: object) -> object:
    """The same, but its texts name files by their places in the folder, and not the folder."""
    if isinstance(told, dict):
        return {key: below(folder, one) for key, one in cast("dict[str, object]", told).items()}
    if isinstance(told, list):
        return [below(folder, one) for one in cast("list[object]", told)]
    return told.replace(f"{folder.as_posix()}/", "") if isinstance(told, str) else told


def stored_ids(memories: Sequence[Memory]) -> list[str | None]:
    """The id of each as it is stored; None for those that are skipped: without an id or text, or
    after another of the same id."""
    ids = list[str | None]()
    for one in map(clean_memory, memories):
        is_stored = one.messages and one.memory_id and one.memory_id not in ids
        ids.append(one.memory_id if is_stored else None)
    return ids


def safe_name(name: str) -> str:
    """The last part of a path, as the name of a file.

    Raises:
        UsageError: it is hidden, blank or not printable.
    """
    last = PurePosixPath(name.replace("\\", "/")).name
    if last.startswith(".") or not last.strip() or not last.isprintable():
        raise UsageError(f"{name!r} does not name a file; give its name, like conversations.json")
    return last


async def written(file: Path, chunks: AsyncIterator[bytes]) -> None:
    """Write an upload to disk as it arrives."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("wb") as out:
        async for chunk in chunks:
            await asyncio.to_thread(out.write, chunk)

"""`recall.memories.cues`: lists the cues of memories, adds some and removes some."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from secondhop.annotate.records import AnnotateLedger
from secondhop.annotate.service import Annotating
from secondhop.errors import NotStoredError, UsageError
from secondhop.given_values import check_id, check_memory, check_storable
from secondhop.ingest.cleaning import clean_lines, clean_memory
from secondhop.ingest.given_cues import checked_cues
from secondhop.ingest.run import IngestProgress
from secondhop.memories.records import MemoryCues, StoredCue
from secondhop.memories.writing import MemoryWriting
from secondhop.stores.cues import (
    MOST_CUES,
    Breadth,
    Cue,
    annotation_given,
    cue_fault,
    fingerprint_given,
)
from secondhop.stores.records import Memory
from secondhop.sync import BackgroundLoop, blocking
from secondhop.wording import command


class Cues:
    """Requests for which stored memories matter, written by a model or by the host.

    Every method has an async form, whose name begins with "a".
    """

    def __init__(
        self, writing: MemoryWriting, annotating: Annotating, *, loop: BackgroundLoop
    ) -> None:
        """Reads nothing yet."""
        self._writing, self._store, self._annotating = writing, writing.store, annotating
        self._loop = loop

    async def ashow(self, memory_id: str) -> MemoryCues:
        """The cues of one memory, with its role and what it replaces.

        Raises:
            UsageError: it is not stored.
        """
        memory = await self._writing.existing(memory_id)
        card = (await self._store.cards([memory_id]))[memory_id]
        annotations = (await self._store.cues.annotations([memory_id])).get(memory_id, ())
        replaces = dict.fromkeys(one for said in annotations for one in said.replaces)
        return MemoryCues(
            memory_id=memory_id,
            title=memory.title,
            role=card.role,
            replaces=list(replaces),
            replaced_by=card.replaced_by[0] if card.replaced_by else "",
            annotated=any(said.content_hash == memory.content_hash for said in annotations),
            cues=list(await self.alist(memory_id)),
        )

    show = blocking(ashow)

    async def alist(
        self, memory_id: str | None = None, *, after: str = "", limit: int = 1000
    ) -> Sequence[StoredCue]:
        """The cues of one memory, or of all memories in the order of their ids.

        Args:
            after: for all memories: begin after this cue id; "" is the beginning.
            limit: for all memories: the most cues to return.

        Raises:
            UsageError: the memory is not stored.
        """
        if memory_id is None:
            return [StoredCue.of(cue) for cue in await self._store.cues.all(after, limit=limit)]
        await self._writing.existing(memory_id)
        found = (await self._store.cues.of_memories([memory_id])).get(memory_id, ())
        return [StoredCue.of(cue) for cue in found]

    list = blocking(alist)

    async def aannotate(
        self,
        *,
        max_tokens: int | None = None,
        max_usd: float | None = None,
        progress: IngestProgress | None = None,
        dry_run: bool = False,
    ) -> AnnotateLedger:
        """Let the language model write cues for all memories that wait for it (docs/cues.md).

        A memory whose current text has an annotation costs nothing. Each answer is stored at once;
        a run that ends early continues where it stopped.

        Args:
            max_tokens: no request is sent that might exceed it, prompts and replies together.
            max_usd: likewise, in US dollars; needs the model's price (`prices`).
            progress: called with ("annotate", memories done, memories in all).
            dry_run: only estimate what it would take (`AnnotateLedger.estimate`).

        Raises:
            UsageError: there is no language model, or no price for a limit in dollars.
        """
        if dry_run:
            return await self._annotating.estimate()
        return await self._annotating.run(max_tokens=max_tokens, max_usd=max_usd, progress=progress)

    annotate = blocking(aannotate)

    async def aadd(
        self, memory_id: str, text: str, *, broad: bool = False, dry_run: bool = False
    ) -> StoredCue:
        """Add a request for which a memory matters; an existing cue stays as it is.

        Args:
            text: as the person would ask, "what may I bake for Ana?"; at most 200 characters.
            broad: it is a common undertaking, "plan a dinner", rather than a request of this
                person.

        Raises:
            UsageError: the memory is not stored, the text is not a valid cue, or the memory already
                has the most cues that you may add.
        """
        check_storable(text, name="the cue")
        await self._writing.existing(memory_id)
        breadth: Breadth = "broad" if broad else "specific"
        words = "".join(clean_lines([text]))
        if fault := cue_fault(words):
            raise UsageError(f"the cue cannot be stored: {fault}")
        cue = Cue(
            memory_id=memory_id, text=words, breadth=breadth, written_at=self._writing.clock()
        )
        stored = (await self._store.cues.of_memories([memory_id])).get(memory_id, ())
        for other in stored:
            if other.cue_id == cue.cue_id:
                return StoredCue.of(other).model_copy(update={"dry_run": dry_run})
        own = [one for one in stored if (one.origin, one.breadth) == ("host", breadth)]
        if len(own) >= MOST_CUES[breadth]:
            raise UsageError(
                f"{memory_id!r} has {len(own)} {breadth} cues of yours, the most it may have; "
                f"remove one: {command('cues', '--remove', own[0].cue_id)}"
            )
        if not dry_run:
            await self._store.cues.add([cue], await self._writing.embedder.embed_passages([words]))
        return StoredCue.of(cue).model_copy(update={"dry_run": dry_run})

    add = blocking(aadd)

    async def aset(
        self,
        memory_id: str,
        *,
        cues: Sequence[str] | None = None,
        broad: Sequence[str] | None = None,
        role: str | None = None,
        replaces: Sequence[str] | None = None,
        dry_run: bool = False,
    ) -> bool:
        """Say all at once what a stored memory is for. Returns whether that changes anything.

        What is given takes the place of what you said before, in a file or one by one; what is None
        stays. The cues of a model and of sessions stay, too.

        Args:
            cues: specific requests, at most six.
            broad: common undertakings, at most three.
            role: what kind of help the memory gives, in two to five words.
            replaces: ids of older memories that it makes outdated.

        Raises:
            UsageError: the memory is not stored, or a cue or the role is not valid.
        """
        said = {"cues": cues, "broad_cues": broad, "role": role, "replaces": replaces}
        given: dict[str, Any] = {name: one for name, one in said.items() if one is not None}
        memory = await self._writing.existing(memory_id)
        named = replace(memory, **given)
        check_memory(named)
        checked, faults = checked_cues(clean_memory(named))
        if faults:
            told = "; ".join(fault.replace(" is left out", "", 1) for fault in faults)
            raise UsageError(f"the cues of {memory_id!r} stay as they are: {told}")
        before = await self._with_own_cues(memory)
        after = replace(before, **{name: getattr(checked, name) for name in given})
        changed = fingerprint_given(before) != fingerprint_given(after)
        if changed and not dry_run:
            annotation = annotation_given(after, at=self._writing.clock())
            texts = [cue.text for cue in annotation.cues]
            vectors = await self._writing.embedder.embed_passages(texts)
            await self._store.cues.set_given(annotation, vectors)
        return changed

    set = blocking(aset)

    async def _with_own_cues(self, memory: Memory) -> Memory:
        """The memory with what the host says of it."""
        own = [cue for cue in await self.alist(memory.memory_id) if cue.origin == "host"]
        annotations = (await self._store.cues.annotations([memory.memory_id])).values()
        said = [one for about in annotations for one in about if one.origin == "host"]
        return replace(
            memory,
            cues=tuple(cue.text for cue in own if cue.breadth == "specific"),
            broad_cues=tuple(cue.text for cue in own if cue.breadth == "broad"),
            role=said[0].role if said else "",
            replaces=said[0].replaces if said else (),
        )

    async def aremove(self, cue_id: str, *, dry_run: bool = False) -> StoredCue:
        """Remove a cue of any origin; the memory stays.

        A cue from a file does not come back with the next ingest of the same file.

        Raises:
            NotStoredError: there is no such cue.
        """
        check_id(cue_id)
        memory_id = cue_id.rpartition(":")[0]
        cues = (await self._store.cues.of_memories([memory_id])).get(memory_id, ())
        for cue in cues:
            if cue.cue_id == cue_id:
                if not dry_run:
                    await self._store.cues.remove([cue_id])
                return StoredCue.of(cue).model_copy(update={"dry_run": dry_run})
        raise NotStoredError(f"there is no cue {cue_id!r}", cure="`secondhop cues` shows them all")

    remove = blocking(aremove)

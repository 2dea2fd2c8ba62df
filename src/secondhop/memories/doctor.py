"""Looks a memory over: do its files agree with one another, and what is stored with itself?"""

from collections import defaultdict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np

from secondhop.errors import StoreError
from secondhop.graph.result import Frozen
from secondhop.ingest.batches import embedding_text
from secondhop.ingest.run import IngestProgress
from secondhop.memories.forgetting import PurgesTexts
from secondhop.models.embedder import Embedder, past_the_cache
from secondhop.stores.catalog.keeping import KeepingView
from secondhop.stores.counters import CounterStore
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.learning import LearningStore
from secondhop.stores.records import Memory, Passage, passage_id_of

EXAMPLES = 5
SAMPLE = 32
"""Passages embedded again, to see whether their vectors still fit, unless all of them are."""
EMBEDDED_AT_ONCE = 64
FITS = 0.98
"""Cosine of a stored vector and a fresh one from which on they are the same; batching and
quantisation move a vector a little."""
_PAGE = 256


class Finding(Frozen):
    """One thing that is not as it should be."""

    check: str
    what: str
    """One sentence."""
    count: int
    examples: list[str]
    weight: Literal["damage", "leftover", "doubt"]
    """damage: something is lost or wrong; leftover: something is too much; doubt: for a person."""
    cure: str
    fixable: bool = False
    """Whether `fix` mends it."""
    fixed: bool = False


class Examination(Frozen):
    """Everything that was found."""

    memories: int
    passages: int
    checks: list[str]
    findings: list[Finding]

    @property
    def sound(self) -> bool:
        """No damage is left."""
        return all(one.fixed or one.weight != "damage" for one in self.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Doctor:
    """Examines the memory of one entity; `fix` mends what can be mended without a decision."""

    store: EntityStore
    embedder: Embedder
    counters: CounterStore
    learned: LearningStore
    now: datetime
    caches: Sequence[PurgesTexts] = ()
    """Where the entity's vectors are kept beside the store."""
    progress: IngestProgress | None = None
    """Hears how many passages are embedded again ("embed")."""

    async def examine(self, *, fix: bool, every_vector: bool = False) -> Examination:
        """Every check in turn.

        Args:
            every_vector: embed all passages again, not a sample of them.
        """
        memories: list[tuple[Memory, tuple[Passage, ...]]] = []
        after = ""
        while page := await self.store.page(after=after, limit=_PAGE):
            memories += page
            after = page[-1][0].memory_id
        checks: dict[str, Callable[[], Coroutine[Any, Any, Sequence[Finding]]]] = {
            "file": self._file,
            "vectors": lambda: self._vectors(memories, fix=fix),
            "word index": lambda: self._word_index(fix=fix),
            "links": lambda: self._links(memories, fix=fix),
            "circles": self._circles,
            "learned": lambda: self._learned(fix=fix),
            "embeddings": lambda: self._embeddings(memories, fix=fix, every=every_vector),
            "duplicates": lambda: self._duplicates(memories),
            "contradictions": self._contradictions,
        }
        findings = [one for check in checks.values() for one in await check()]
        return Examination(
            memories=len(memories),
            passages=sum(len(own) for _, own in memories),
            checks=list(checks),
            findings=findings,
        )

    async def _file(self) -> Sequence[Finding]:
        faults = await self.store.maintenance.file_faults()
        if not faults:
            return []
        what = "SQLite finds the catalog damaged"
        cure = "put a backup in place, or ingest the sources again"
        return [finding("file", what, faults, weight="damage", cure=cure)]

    async def _vectors(
        self, memories: Sequence[tuple[Memory, Sequence[Passage]]], *, fix: bool
    ) -> Sequence[Finding]:
        wanted = {passage.passage_id for _, own in memories for passage in own}
        stale = [
            passage.passage_id
            for memory, own in memories
            for passage in own
            if passage.passage_id != passage_id_of(memory, passage.ordinal)
        ]
        present = await self.store.vector_ids()
        found: list[Finding] = []
        if missing := sorted(wanted - present):
            if fix:
                lacking = wanted - present
                await self._embed([p for p in pairs_of(memories) if p[1].passage_id in lacking])
            what = "passages without a vector: no search by meaning finds them"
            cure = "--fix embeds them"
            found.append(mended("vectors", what, missing, weight="damage", cure=cure, fixed=fix))
        if orphans := sorted(present - wanted):
            if fix:
                await self.store.maintenance.drop_vectors(orphans)
            what = "vectors of passages that are not stored"
            cure = "--fix removes them"
            found.append(mended("vectors", what, orphans, weight="leftover", cure=cure, fixed=fix))
        if await self.store.maintenance.needs_compaction():
            fixed = fix and await self.store.maintenance.compact()
            what = "Chroma's files still hold vectors of memories that were forgotten"
            cure = "--fix puts the vectors that are stored into new files, and deletes the old ones"
            found.append(mended("vectors", what, [""], weight="leftover", cure=cure, fixed=fixed))
        if stale:
            what = "passages whose ids are not of their memory's present text"
            found.append(finding("vectors", what, stale, weight="damage", cure="ingest them again"))
        return found

    async def _embed(self, pairs: Sequence[tuple[Memory, Passage]]) -> None:
        """Give passages their vectors."""
        for start in range(0, len(pairs), EMBEDDED_AT_ONCE):
            part = pairs[start : start + EMBEDDED_AT_ONCE]
            vectors = await self.embedder.embed_passages([embedding_text(*pair) for pair in part])
            await self.store.maintenance.put_vectors(
                [passage.passage_id for _, passage in part], vectors
            )
            if self.progress is not None:
                self.progress("embed", start + len(part), len(pairs))

    async def _word_index(self, *, fix: bool) -> Sequence[Finding]:
        wrong = await self.store.maintenance.wrong_postings()
        if not wrong:
            return []
        if fix:
            await self.store.maintenance.rebuild_lexicon()
        what = "words whose places in the word index are not those of the stored text"
        return [
            mended("word index", what, wrong, weight="damage", cure="--fix rebuilds it", fixed=fix)
        ]

    async def _links(
        self, memories: Sequence[tuple[Memory, Sequence[Passage]]], *, fix: bool
    ) -> Sequence[Finding]:
        known = {memory.memory_id for memory, _ in memories}
        keepings = await self.store.keepings()
        lost = sorted(
            memory_id
            for memory_id, kept in keepings.items()
            if memory_id not in known or (kept.superseded_by and kept.superseded_by not in known)
        )
        lost += await self.store.look(lambda view: view.lost_texts())
        if not lost:
            return []
        if fix:
            await self.store.maintenance.drop_lost_links()
        what = (
            "memories that are superseded by something that is not stored, or not stored either, "
            "and yet it is known how they stood, or what they said before"
        )
        cure = "--fix cuts the links; what is stored stays superseded"
        return [mended("links", what, lost, weight="leftover", cure=cure, fixed=fix)]

    async def _circles(self) -> Sequence[Finding]:
        """Memories of older versions, which could each supersede the other: none of them holds."""
        links = {i: kept.superseded_by for i, kept in (await self.store.keepings()).items()}
        found = [", ".join(circle) for circle in circles_in(links)]
        if not found:
            return []
        what = "groups of memories that supersede one another, so that none holds"
        cure = "`secondhop restore ID` lets one of them hold again: the one that is true"
        return [finding("circles", what, found, weight="damage", cure=cure)]

    async def _learned(self, *, fix: bool) -> Sequence[Finding]:
        """What a process that was killed between two files leaves, and what older versions left."""
        try:
            known = await self.counters.memory_ids()
            await self.counters.of(sorted(known))  # can each be read?
            for context in (await self.learned.read()).contexts:
                known |= context.lessons.memory_ids()
        except StoreError as error:
            what = "files of what was counted and learned cannot be read"
            cure = "put a backup in place, or do as it says"
            return [finding("learned", what, [str(error)], weight="damage", cure=cure)]
        stored = await self.store.content_hashes()  # last: what is put meanwhile is no leftover
        gone = sorted(known - stored.keys())
        if not gone:
            return []
        if fix:
            await self.counters.forget(gone)
            await self.learned.forget(gone)
        what = "memories that are not stored, and of which something is counted or learned"
        cure = "--fix forgets it; a new memory of such an id would inherit it"
        return [mended("learned", what, gone, weight="leftover", cure=cure, fixed=fix)]

    async def _embeddings(
        self, memories: Sequence[tuple[Memory, Sequence[Passage]]], *, fix: bool, every: bool
    ) -> Sequence[Finding]:
        """A sample, the same each time: every n-th passage; or all of them.

        `fix` takes what is off out of the cache, or making the vectors anew would bring it back.
        """
        pairs = pairs_of(memories)
        chosen = pairs if every else pairs[:: max(1, -(-len(pairs) // SAMPLE))]
        compared, off = 0, list[tuple[Memory, Passage]]()
        for start in range(0, len(chosen), EMBEDDED_AT_ONCE):
            part = chosen[start : start + EMBEDDED_AT_ONCE]
            held, wrong = await self._compared(part)
            compared, off = compared + held, off + wrong
            if self.progress is not None:
                self.progress("embed", start + len(part), len(chosen))
        if not off:
            return []
        if fix:
            for cache in self.caches:
                await cache.purge([embedding_text(*pair) for pair in off])
        sampled = "" if every else "sampled "
        what = f"of {compared} {sampled}passages, vectors that the model does not give today"
        cure = (
            "`secondhop doctor --all --fix` takes them out of the embedding cache; "
            "then `secondhop reindex` makes the vectors anew"
        )
        ids = [passage.passage_id for _, passage in off]
        return [finding("embeddings", what, ids, weight="damage", cure=cure)]

    async def _compared(
        self, pairs: Sequence[tuple[Memory, Passage]]
    ) -> tuple[int, list[tuple[Memory, Passage]]]:
        """(how many have a vector, those whose vector the model itself does not give)."""
        stored = await self.store.maintenance.stored_vectors(
            [passage.passage_id for _, passage in pairs]
        )
        held = [pair for pair in pairs if pair[1].passage_id in stored]
        if not held:
            return 0, []
        model = past_the_cache(self.embedder)
        fresh = await model.embed_passages([embedding_text(*pair) for pair in held])
        kept = np.stack([stored[passage.passage_id] for _, passage in held])
        cosines: list[float] = (fresh * kept).sum(axis=1).tolist()
        return len(held), [p for p, near in zip(held, cosines, strict=True) if near < FITS]

    async def _duplicates(
        self, memories: Sequence[tuple[Memory, Sequence[Passage]]]
    ) -> Sequence[Finding]:
        same: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
        for memory, _ in memories:
            said = tuple(" ".join(m.content.split()) for m in memory.messages)
            same[(memory.kind, memory.scope, *said)].append(memory.memory_id)
        groups = [", ".join(ids) for ids in same.values() if len(ids) > 1]
        if not groups:
            return []
        what = "groups of memories with the same words"
        cure = "`secondhop forget ID`, or `secondhop supersede OLD NEW`"
        return [finding("duplicates", what, groups, weight="doubt", cure=cure)]

    async def _contradictions(self) -> Sequence[Finding]:
        found = await self.store.look(lambda view: contradictions(view, now=self.now))
        if not found:
            return []
        what = "facts that hold several values at once"
        cure = "`secondhop supersede OLD NEW`, or `secondhop supersede ID --reason WHY`"
        return [finding("contradictions", what, found, weight="doubt", cure=cure)]


def pairs_of(
    memories: Sequence[tuple[Memory, Sequence[Passage]]],
) -> list[tuple[Memory, Passage]]:
    """Every passage with its memory."""
    return [(memory, passage) for memory, own in memories for passage in own]


def circles_in(links: Mapping[str, str]) -> list[list[str]]:
    """Groups of ids of which each leads to the next, and the last to the first.

    >>> circles_in({"a": "b", "b": "a", "c": "a", "d": "e"})
    [['a', 'b']]
    """
    found: list[list[str]] = []
    seen: set[str] = set()
    for start in sorted(links):
        path: list[str] = []
        one = start
        while one and one not in seen:
            seen.add(one)
            path.append(one)
            one = links.get(one, "")
        if one in path:
            found.append(path[path.index(one) :])
    return found


def contradictions(view: KeepingView, *, now: datetime) -> list[str]:
    """Subjects and attributes with more than one value that holds."""
    held: defaultdict[tuple[str, str], list[Memory]] = defaultdict(list)
    for fact in view.of_kind("factual"):
        if view.keeping(fact.memory_id).end(now=now) is None:
            held[(fact.subject.casefold(), fact.attribute.casefold())].append(fact)
    return [
        f"{facts[0].subject}, {facts[0].attribute}: "
        + "; ".join(f"{fact.value} ({fact.memory_id})" for fact in facts)
        for facts in held.values()
        if len({fact.value.casefold() for fact in facts}) > 1
    ]


def finding(
    check: str,
    what: str,
    cases: Sequence[str],
    *,
    weight: Literal["damage", "leftover", "doubt"],
    cure: str,
) -> Finding:
    """So many cases, a few of them named."""
    return Finding(
        check=check,
        what=what,
        count=len(cases),
        examples=list(cases[:EXAMPLES]),
        weight=weight,
        cure=cure,
    )


def mended(
    check: str,
    what: str,
    cases: Sequence[str],
    *,
    weight: Literal["damage", "leftover"],
    cure: str,
    fixed: bool,
) -> Finding:
    """One that `fix` mends, or has mended."""
    found = finding(check, what, cases, weight=weight, cure=cure)
    return found.model_copy(update={"fixable": True, "fixed": fixed})

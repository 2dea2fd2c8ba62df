"""Examines an entity: whether its files agree, and whether its memories contradict each other."""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Literal

import numpy as np

from secondhop.errors import CorruptStoreError, StoreError
from secondhop.graph.result import Frozen
from secondhop.ingest.batches import TEXTS_AT_ONCE, embedding_text
from secondhop.ingest.run import IngestProgress
from secondhop.memories.building import CLOCKS_DIFFER
from secondhop.models.embedder import Embedder
from secondhop.models.embedding_cache import past_the_cache
from secondhop.moments import in_utc
from secondhop.stores.catalog.keeping import KeepingView
from secondhop.stores.counters import CounterStore
from secondhop.stores.entity_store import EntityStore
from secondhop.stores.maintenance import VectorMaintenance
from secondhop.stores.records import Memory, Passage

EXAMPLES = 5
SAMPLE = 32
"""How many passages are embedded again, to check their vectors."""
FITS = 0.98
"""From this cosine on, a stored vector and a fresh one count as the same. Batching and quantisation
move a vector a little."""


class Finding(Frozen):
    """One kind of problem."""

    check: str
    what: str
    """One sentence."""
    count: int
    examples: list[str]
    weight: Literal["damage", "leftover", "doubt"]
    """damage: something is lost or wrong; leftover: something is superfluous; doubt: a person has
    to decide."""
    cure: str
    fixable: bool = False
    """Whether `fix` repairs it."""
    fixed: bool = False


class Examination(Frozen):
    """Everything that was found."""

    memories: int
    passages: int
    checks: list[str]
    findings: list[Finding]

    @property
    def sound(self) -> bool:
        """Whether no damage is left."""
        return all(one.fixed or one.weight != "damage" for one in self.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What is examined, and whether problems are repaired."""

    store: EntityStore
    embedder: Embedder
    counters: CounterStore
    now: datetime
    fix: bool
    """Repair what needs no decision."""
    progress: IngestProgress | None = None
    """Called with the number of passages that were embedded ("embed")."""
    memories: Sequence[tuple[Memory, tuple[Passage, ...]]] = ()

    @property
    def passages(self) -> list[tuple[Memory, Passage]]:
        """Every passage with its memory."""
        return [(memory, passage) for memory, own in self.memories for passage in own]


async def examine(given: Examined) -> Examination:
    """Run every check in turn."""
    memories = [one async for page in given.store.pages() for one in page]
    whole = replace(given, memories=memories)
    lost = not memories and bool((await given.store.passage_vectors.strays()).orphans)
    checks = {"catalog": check_lost_catalog} if lost else CHECKS
    return Examination(
        memories=len(memories),
        passages=len(whole.passages),
        checks=list(checks),
        findings=[
            one.model_copy(update={"check": name})
            for name, check in checks.items()
            for one in await check(whole)
            if one.count
        ],
    )


async def check_lost_catalog(case: Examined) -> list[Finding]:
    """For vectors without any memory: the catalog was emptied, deleted or replaced.

    Nothing is repaired, because the vectors are the only trace that is left.
    """
    orphans = (await case.store.passage_vectors.strays()).orphans
    what = "vectors of passages, but no memory: the catalog, which holds all texts, was lost"
    cure = (
        "put a backup of the store in place (`secondhop copy` makes one), `secondhop import` an "
        "export, or ingest the sources again, which embeds only what embeddings.db lacks"
    )
    return [damage(what, orphans, cure=cure)]


async def check_file(case: Examined) -> list[Finding]:
    """Check the catalog's file."""
    faults = await case.store.file_faults()
    what = "SQLite finds the catalog damaged"
    cure = "put a backup in place, or ingest the sources again"
    return [damage(what, faults, cure=cure)]


async def check_forgetting(case: Examined) -> list[Finding]:
    """Check that each `forget` that has begun is finished."""
    unfinished = await case.store.erasure.unfinished()
    pending = [] if unfinished is None else unfinished or ["memories that are deleted already"]
    what = "memories whose `forget` has begun and is not finished: files may still hold their text"
    cure = "the next opening of the entity finishes it, if there is enough space on the disk"
    return [damage(what, pending, cure=cure)]


async def check_vectors(case: Examined) -> list[Finding]:
    """Check that each passage has a vector, and that there are no others."""
    texts = {
        passage.passage_id: embedding_text(memory, passage) for memory, passage in case.passages
    }
    found = await mended(case.store.passage_vectors, texts, case, what="passages")
    old_files = [""] if await case.store.erasure.needs_compaction() else []
    compacted = bool(case.fix and old_files and await case.store.erasure.compact())
    return [
        *found,
        leftover(
            "Chroma's files still hold vectors of memories that were forgotten",
            old_files,
            cure="--fix puts the vectors that are stored into new files, and deletes the old ones",
            fixed=compacted,
        ),
    ]


async def check_cues(case: Examined) -> list[Finding]:
    """Check that each cue has a vector, and that there are no others."""
    ids = [memory.memory_id for memory, _ in case.memories]
    cues = (await case.store.cues.of_memories(ids)).values()
    texts = {cue.cue_id: cue.text for own in cues for cue in own}
    try:
        found = await mended(case.store.cue_vectors, texts, case, what="cues")
        case.store.cues.is_readable = True
        return found
    except CorruptStoreError as error:
        what = "vectors of cues cannot be read, so no memory is found by its cues"
        cure = "`secondhop reindex` makes them again"
        return [damage(what, [str(error)], cure=cure)]


async def mended(
    vectors: VectorMaintenance, texts: Mapping[str, str], case: Examined, *, what: str
) -> list[Finding]:
    """Find missing and superfluous vectors, and repair them if asked to.

    Args:
        texts: {id: the text to embed} of everything stored.
        what: "passages" or "cues".
    """
    missing, orphans = await vectors.strays()
    if case.fix:
        await embed([one for one in missing if one in texts], texts, vectors, case)
        if orphans:
            await vectors.drop(orphans)
    return [
        damage(
            f"{what} without a vector: no search by meaning finds them",
            missing,
            cure="--fix embeds them",
            fixed=case.fix,
        ),
        leftover(
            f"vectors of {what} that are not stored",
            orphans,
            cure="--fix removes them",
            fixed=case.fix,
        ),
    ]


async def embed(
    ids: Sequence[str], texts: Mapping[str, str], vectors: VectorMaintenance, case: Examined
) -> None:
    """Embed the texts of these ids and store the vectors."""
    for start in range(0, len(ids), TEXTS_AT_ONCE):
        part = ids[start : start + TEXTS_AT_ONCE]
        await vectors.put(part, await case.embedder.embed_passages([texts[one] for one in part]))
        if case.progress is not None:
            case.progress("embed", start + len(part), len(ids))


async def check_circles(case: Examined) -> list[Finding]:
    """Find memories that supersede one another, so that none is valid: version 0.1 allowed it."""
    links = {i: kept.superseded_by for i, kept in (await case.store.keepings()).items()}
    found = [", ".join(circle) for circle in circles_in(links)]
    what = "groups of memories that supersede one another, so none of them is valid"
    cure = "`secondhop update ID --restore` makes one of them valid again: the one that is true"
    return [damage(what, found, cure=cure)]


def circles_in(links: Mapping[str, str]) -> list[list[str]]:
    """Groups of ids in which each leads to the next, and the last to the first.

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


async def check_counters(case: Examined) -> list[Finding]:
    """Check that no counters of deleted memories are left, as a killed process leaves them."""
    try:
        known = await case.counters.memory_ids()
        await case.counters.of(sorted(known))  # can each be read?
    except StoreError as error:
        what = "the file with the counts cannot be read"
        cure = "put a backup in place, or do what the message says"
        return [damage(what, [str(error)], cure=cure)]
    stored = await case.store.content_hashes()  # last: what is put meanwhile is not a leftover
    gone = sorted(known - stored.keys())
    if case.fix and gone:
        await case.counters.forget(gone)
    what = "memories that are counted but not stored"
    cure = "--fix deletes these counts; a new memory with the same id would inherit them"
    return [leftover(what, gone, cure=cure, fixed=case.fix)]


async def check_embeddings(case: Examined) -> list[Finding]:
    """Compare a fixed sample of the vectors with fresh ones from the model, past the cache."""
    pairs = case.passages[:: max(1, -(-len(case.passages) // SAMPLE))]
    stored = await case.store.passage_vectors.index.fetch(
        [passage.passage_id for _, passage in pairs]
    )
    held = [pair for pair in pairs if pair[1].passage_id in stored]
    if not held:
        return []
    model = past_the_cache(case.embedder)
    fresh = await model.embed_passages([embedding_text(*pair) for pair in held])
    ids = [passage.passage_id for _, passage in held]
    cosines: list[float] = (fresh * np.stack([stored[one] for one in ids])).sum(axis=1).tolist()
    off = [one for one, cosine in zip(ids, cosines, strict=True) if cosine < FITS]
    what = f"of {len(held)} sampled passages have vectors that the model no longer gives"
    cure = "delete embeddings.db in the entity's folder; then `secondhop reindex`"
    return [damage(what, off, cure=cure)]


async def check_duplicates(case: Examined) -> list[Finding]:
    """Find memories that hold and have the same words."""
    same: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    kept = await case.store.keepings()
    ended = {one for one, keeping in kept.items() if keeping.end(now=case.now) is not None}
    for memory, _ in case.memories:
        if memory.memory_id in ended:
            continue
        said = tuple(" ".join(one.content.split()) for one in memory.messages)
        same[(memory.kind, memory.scope, *said)].append(memory.memory_id)
    groups = [", ".join(ids) for ids in same.values() if len(ids) > 1]
    what = "groups of memories with the same words"
    cure = "`secondhop forget ID`, or `secondhop update OLD --replaced-by NEW`"
    return [doubt(what, groups, cure=cure)]


async def check_dates(case: Examined) -> list[Finding]:
    """Find facts and preferences that are dated in the future, as a wrong clock dates them."""
    soon = in_utc(case.now) + CLOCKS_DIFFER
    found = [
        f"{memory.memory_id} ({memory.created_at:%Y-%m-%d})"
        for memory, _ in case.memories
        if memory.kind != "continuity" and memory.created_at > soon
    ]
    what = "facts and preferences dated in the future: each value said before then is an older one"
    cure = "`secondhop forget ID`, then remember it with its right date"
    return [doubt(what, found, cure=cure)]


async def check_contradictions(case: Examined) -> list[Finding]:
    """Find facts of one subject and attribute that are valid with different values."""
    found = await case.store.look(lambda view: contradictions(view, now=case.now))
    what = "facts that have several values at once"
    cure = "`secondhop update OLD --replaced-by NEW`, or deprecate one"
    return [doubt(what, found, cure=cure)]


def contradictions(view: KeepingView, *, now: datetime) -> list[str]:
    """One line for each subject and attribute with more than one valid value."""
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
    what: str,
    cases: Sequence[str],
    *,
    weight: Literal["damage", "leftover", "doubt"],
    cure: str,
    fixed: bool | None = None,
) -> Finding:
    """A finding with the number of cases and a few examples.

    Args:
        fixed: whether they were repaired now; None if that takes a person.
    """
    return Finding(
        check="",  # `examine` fills it in
        what=what,
        count=len(cases),
        examples=list(cases[:EXAMPLES]),
        weight=weight,
        cure=cure,
        fixable=fixed is not None,
        fixed=bool(fixed),
    )


damage = partial(finding, weight="damage")
leftover = partial(finding, weight="leftover")
doubt = partial(finding, weight="doubt")

CHECKS: Mapping[str, Callable[[Examined], Awaitable[list[Finding]]]] = {
    "file": check_file,
    "forgetting": check_forgetting,
    "vectors": check_vectors,
    "cues": check_cues,
    "circles": check_circles,
    "counters": check_counters,
    "embeddings": check_embeddings,
    "duplicates": check_duplicates,
    "contradictions": check_contradictions,
    "dates": check_dates,
}
"""In the order in which they run. Later checks see what earlier ones have repaired."""

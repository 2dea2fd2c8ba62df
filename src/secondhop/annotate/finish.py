"""Combines what the model wrote about a memory's parts into its annotation, with cue vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from typing import Literal, TypedDict

import numpy as np

from secondhop.annotate.annotator import PartCues
from secondhop.annotate.generic import GenericCues
from secondhop.annotate.records import RefusedCue
from secondhop.models.embedder import Embedder, Vectors
from secondhop.stores.cues import MOST_CUES, Annotation, Breadth, Cue
from secondhop.stores.records import Memory

MOST_REPLACED = 4
"""The most older memories that one memory may replace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenMemory:
    """A memory whose parts have all been read."""

    memory: Memory
    parts: Sequence[PartCues]
    """The cues of its parts, in order."""


class Signature(TypedDict):
    """Who wrote the cues, and when: fields that an annotation and its cues share."""

    origin: Literal["model"]
    model: str
    prompt: str
    written_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """Annotations ready to be stored."""

    annotations: list[Annotation]
    vectors: Vectors
    """[n_cues, dim], one row per cue of all annotations, in order."""
    refused: list[RefusedCue]


async def finished(
    memories: Sequence[WrittenMemory],
    *,
    embedder: Embedder,
    generic: GenericCues,
    signature: Signature,
) -> Finished:
    """Embed the cues of these memories; refuse generic cues, and those beyond MOST_CUES."""
    cues = [text for one in memories for breadth in MOST_CUES for text in texts_of(one, breadth)]
    texts = list(dict.fromkeys(cues))
    empty = np.zeros((0, embedder.dimension), np.float32)
    vectors = await embedder.embed_passages(texts) if texts else empty
    refusable = await generic.among(vectors)
    rows = {text: row for row, text in enumerate(texts)}
    is_generic = dict(zip(texts, refusable, strict=True))
    refused: list[RefusedCue] = []
    annotations: list[Annotation] = []
    for one in memories:
        kept: list[tuple[Breadth, str]] = []
        for breadth in MOST_CUES:
            written = texts_of(one, breadth)
            sound = [text for text in written if not is_generic[text]]
            chosen = sound[: MOST_CUES[breadth]]
            kept.extend((breadth, text) for text in chosen)
            refused += refusals(one.memory.memory_id, written, sound=sound, chosen=chosen)
        annotations.append(annotation(one, kept, signature))
    order = [rows[cue.text] for annotation in annotations for cue in annotation.cues]
    return Finished(
        annotations=annotations, vectors=vectors[order] if order else empty, refused=refused
    )


def texts_of(memory: WrittenMemory, breadth: Breadth) -> list[str]:
    """The cues of one breadth without repeats: the first of every part, then every second, …"""
    lists = [part.specific if breadth == "specific" else part.broad for part in memory.parts]
    found: dict[str, str] = {}
    for text in (text for turn in zip_longest(*lists) for text in turn if text is not None):
        found.setdefault(text.casefold(), text)
    return list(found.values())


def refusals(
    memory_id: str, written: Sequence[str], *, sound: Sequence[str], chosen: Sequence[str]
) -> list[RefusedCue]:
    """The cues that were not chosen, with the reason for each."""
    return [
        RefusedCue(
            memory_id=memory_id,
            text=text,
            why="a memory has no room for more" if text in sound else "it could ask for anything",
        )
        for text in written
        if text not in chosen
    ]


def annotation(
    written: WrittenMemory, kept: Sequence[tuple[Breadth, str]], signature: Signature
) -> Annotation:
    """The annotation of a memory, as it is stored."""
    memory_id = written.memory.memory_id
    replaces = dict.fromkeys(one for part in written.parts for one in part.replaces)
    return Annotation(
        memory_id=memory_id,
        content_hash=written.memory.content_hash,
        cues=tuple(
            Cue(memory_id=memory_id, text=text, breadth=breadth, **signature)
            for breadth, text in kept
        ),
        role=next((part.role for part in written.parts if part.role), ""),
        replaces=tuple(list(replaces)[:MOST_REPLACED]),
        **signature,
    )

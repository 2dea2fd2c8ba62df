"""Adds the text right before and after a memory's evidence, if it belongs to it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from secondhop.nodes.evidence.speaker_match import SPEAKER
from secondhop.stores.records import Passage

Entries: TypeAlias = dict[str, dict[str, Any]]
"""{passage id: the passage in the form of `Evidence`}."""

_BEGINS_A_TURN = re.compile(rf"\A{SPEAKER}:\s")
_TURN = re.compile(rf"(?:\A|\n\n){SPEAKER}:\s")


def joined(
    evidence: Mapping[str, Sequence[str]],
    entries: Entries,
    passages: Mapping[str, Passage],
    *,
    owned: Mapping[str, Sequence[str]],
    max_tokens: int,
) -> tuple[dict[str, list[str]], Entries]:
    """({memory id: hits, then neighbours that belong to them}, entries of these neighbours).

    Args:
        entries: the entries of the hits.
        passages: the stored passages among the hits and their `neighbours`.
        owned: {memory id: ids of its passages, in order}.
        max_tokens: budget per memory; its best passage stays however long it is.
    """
    kept: dict[str, list[str]] = {}
    added: Entries = {}
    for memory_id, ids in evidence.items():
        hits = [passage_id for passage_id in ids if passage_id in passages]
        near: dict[str, str] = {}
        for hit in hits:
            before, after = neighbours(hit, owned[memory_id])
            if before in passages and belong_together(passages[before], passages[hit]):
                near[before] = hit
            if after in passages and belong_together(passages[hit], passages[after]):
                near[after] = hit
        order = [*hits, *(p for p in near if p not in hits)]
        kept[memory_id] = within([passages[p] for p in order], max_tokens=max_tokens)
        for passage_id in kept[memory_id]:
            if passage_id not in hits:
                added[passage_id] = as_neighbour(passages[passage_id], entries[near[passage_id]])
    return kept, added


def neighbours(passage_id: str, own: Sequence[str]) -> tuple[str, str]:
    """Ids of the passages before and after this one among all of its memory, in order; "" for none.

    >>> neighbours("b", ["a", "b", "c"]), neighbours("c", ["a", "b", "c"])
    (('a', 'c'), ('b', ''))
    """
    if passage_id not in own:  # deleted meanwhile
        return "", ""
    place = own.index(passage_id)
    before, after = own[max(0, place - 1) : place], own[place + 1 : place + 2]
    return "".join(before), "".join(after)


def belong_together(first: Passage, second: Passage) -> bool:
    """Whether two consecutive passages are a question and its answer, a turn that goes on in the
    second, or parts of a section under one heading."""
    answered = first.text.rstrip().endswith("?") and _BEGINS_A_TURN.search(second.text)
    goes_on = _TURN.search(first.text) and not _BEGINS_A_TURN.search(second.text)
    return bool(answered or goes_on) or (first.heading == second.heading != "")


def within(passages: Sequence[Passage], *, max_tokens: int) -> list[str]:
    """Ids of the first passage (always), and of the later ones that still fit."""
    kept: list[str] = []
    left = max_tokens
    for passage in passages:
        if kept and passage.tokens > left:
            continue
        kept.append(passage.passage_id)
        left -= passage.tokens
    return kept


def as_neighbour(passage: Passage, hit: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of a neighbour: facet and query of the hit, and score 0.0, as no query found it."""
    return {
        **hit,
        "passage_id": passage.passage_id,
        "text": passage.text,
        "heading": passage.heading,
        "score": 0.0,
        "beside": hit["passage_id"],
    }

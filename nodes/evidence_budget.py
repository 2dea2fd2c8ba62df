"""Which evidence passages of an answer fit into a token budget."""

from collections.abc import Mapping, Sequence

from secondhop.stores.records import Passage


def within_budget(
    evidence: Mapping[str, Sequence[str]], passages: Mapping[str, Passage], *, tokens: int | None
) -> dict[str, list[str]]:
    """{memory id: passage ids} in the given order, so that all passages together fit.

    Every memory gets its best passage before any gets a second; a passage that does not fit is
    left out and a shorter one may still enter. Memories without a passage left are not in the
    answer. None: everything fits.

    Args:
        evidence: passage ids by memory, best first; memories best first.
        passages: what is known of them; unknown ids are left out.
    """
    known = {
        memory_id: [passage_id for passage_id in ids if passage_id in passages]
        for memory_id, ids in evidence.items()
    }
    left = float("inf") if tokens is None else float(tokens)
    kept: dict[str, list[str]] = {memory_id: [] for memory_id in known}
    for turn in range(max((len(ids) for ids in known.values()), default=0)):
        for memory_id, ids in known.items():
            if turn < len(ids) and passages[ids[turn]].tokens <= left:
                kept[memory_id].append(ids[turn])
                left -= passages[ids[turn]].tokens
    return {memory_id: ids for memory_id, ids in kept.items() if ids}

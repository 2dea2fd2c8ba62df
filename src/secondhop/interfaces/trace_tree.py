"""A trace as a tree that a person can read: facets, their queries, who was kept and who was not."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from secondhop.graph.explain import last_cut
from secondhop.graph.trace import (
    RecallTrace,
    TraceCandidate,
    TraceFacet,
    TraceFacetScore,
    TraceHit,
    TraceQuery,
)
from secondhop.interfaces.terminal import clean, shorten

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

DROPPED_SHOWN = 5
"""Dropped candidates a facet shows; the rest is counted."""


def trace_tree(trace: RecallTrace) -> "Tree":
    """facets → queries and candidates, then why it stopped and where the time went."""
    from rich.tree import Tree

    root = Tree(line(shorten(trace.question, 200), style="bold"))
    homes = candidates_by_home(trace)
    for facet in trace.facets:
        add_facet(root, facet, trace=trace, candidates=homes.get(facet.facet_id, []))
    stop = f"stopped: {trace.stop_reason}"
    root.add(line(f"{stop}, {clean(trace.stop_detail)}" if trace.stop_detail else stop))
    for reason in trace.degraded:
        root.add(line(f"done without: {clean(reason)}", style="yellow"))
    times = root.add(line(f"time: {trace.spent.ms:.0f} ms in all"))
    for entry in time_per_node(trace):
        times.add(line(entry, style="dim"))
    return root


def line(text: str, *, style: str = "") -> "Text":
    """One line of the tree; its continuation lines keep the tree's shape."""
    from rich.text import Text

    return Text(text, style=style)


def add_facet(
    root: "Tree", facet: TraceFacet, *, trace: RecallTrace, candidates: Sequence[TraceCandidate]
) -> None:
    """One facet with its queries, the memories it gave a slot, and those it lost."""
    head = f"{clean(facet.name)}, hop {facet.hop}, weight {facet.weight:g}"
    branch = root.add(line(head, style="bold"))
    if facet.why:
        branch.add(line(clean(facet.why), style="italic dim"))
    for query in trace.queries:
        if query.facet_id == facet.facet_id:
            add_query(branch, query, returned=trace.returned)
    kept = sorted((c for c in candidates if c.slot is not None), key=lambda c: c.slot or 0)
    dropped = [c for c in candidates if c.slot is None]
    for candidate in kept:
        branch.add(line(kept_line(candidate, facet, trace=trace), style="green"))
    for candidate in dropped[:DROPPED_SHOWN]:
        branch.add(line(dropped_line(candidate, trace=trace), style="dim"))
    if len(dropped) > DROPPED_SHOWN:
        branch.add(line(f"- and {len(dropped) - DROPPED_SHOWN} more were dropped", style="dim"))


def add_query(branch: "Tree", query: TraceQuery, *, returned: Sequence[str]) -> None:
    """One query: what was asked, and at which rank each leg had the memories that came back."""
    place = f"round {query.round}, hop {query.hop}, {query.origin}, {query.ms:.0f} ms"
    node = branch.add(line(f'? "{shorten(query.text, 160)}"', style="cyan"))
    if query.error:
        node.add(line(f"failed: {clean(query.error)}", style="red"))
    legs = "; ".join(
        leg_summary(name, hits, returned=returned)
        for name, hits in (("dense", query.dense), ("lexical", query.lexical))
    )
    node.add(line(f"{place}; {legs}", style="dim"))


def leg_summary(name: str, hits: Sequence[TraceHit], *, returned: Sequence[str]) -> str:
    """How many a leg found, and the best rank of each that got a slot: "slot 2 at rank 1"."""
    ranks: dict[str, int] = {}
    for hit in hits:
        ranks.setdefault(hit.memory_id, hit.rank)
    picked = [
        f"#{slot} at rank {ranks[memory_id]}"
        for slot, memory_id in enumerate(returned, start=1)
        if memory_id in ranks
    ]
    found = f"{name} found {len(ranks)}"
    return f"{found} ({', '.join(picked)})" if picked else found


def kept_line(candidate: TraceCandidate, facet: TraceFacet, *, trace: RecallTrace) -> str:
    """A memory that came back, with its scores in this facet and the other facets it serves."""
    score = facet_score(candidate, facet.facet_id)
    parts = f" = dense {score.dense:.2f}, lexical {score.lexical:.2f}" if score else ""
    title = shorten(candidate.title, 80) or candidate.memory_id
    text = f"+ #{candidate.slot} {title} [{candidate.memory_id}] {candidate.score:.2f}{parts}"
    votes = ", ".join(f"{vote.vote} by {vote.by}" for vote in candidate.votes[-1:])
    names = {known.facet_id: known.name for known in trace.facets}
    others = [
        clean(names.get(one.facet_id, one.facet_id))
        for one in candidate.facet_scores
        if one.facet_id != facet.facet_id
    ]
    also = f"; also found for {', '.join(others)}" if others else ""
    return f"{text}{'; ' + votes if votes else ''}{also}"


def dropped_line(candidate: TraceCandidate, *, trace: RecallTrace) -> str:
    """A memory that did not come back, and the reason that decided."""
    title = shorten(candidate.title, 80) or candidate.memory_id
    text = f"- {title} [{candidate.memory_id}] {candidate.score:.2f}"
    drop = last_cut(trace, candidate)
    if drop is None:
        return text
    return f"{text}: {drop.stage} in round {drop.round}: {clean(drop.reason)}"


def candidates_by_home(trace: RecallTrace) -> dict[str, list[TraceCandidate]]:
    """{facet id: candidates most relevant to it, best first}: each is told once."""
    homes: dict[str, list[TraceCandidate]] = {}
    for candidate in trace.candidates:
        if candidate.facet_scores:
            home = max(candidate.facet_scores, key=lambda one: (one.relevance, -one.rank))
            homes.setdefault(home.facet_id, []).append(candidate)
    return homes


def facet_score(candidate: TraceCandidate, facet_id: str) -> TraceFacetScore | None:
    """How the candidate stands in that facet."""
    return next((one for one in candidate.facet_scores if one.facet_id == facet_id), None)


def time_per_node(trace: RecallTrace) -> Iterator[str]:
    """ "retrieve 41 ms in 12 runs", most time first."""
    spent: dict[str, list[float]] = {}
    for step in trace.steps:
        spent.setdefault(step.node, []).append(step.ms)
    for node, times in sorted(spent.items(), key=lambda pair: -sum(pair[1])):
        runs = f" in {len(times)} runs" if len(times) > 1 else ""
        yield f"{node} {sum(times):.0f} ms{runs}"

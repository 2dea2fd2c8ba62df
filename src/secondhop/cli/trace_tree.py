"""A trace as a tree that a person can read: facets, their queries, who was kept and who was not."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from secondhop.cli.cost_view import cost_text
from secondhop.cli.terminal import clean, shorten
from secondhop.graph.explain import last_cut
from secondhop.graph.trace import (
    RecallTrace,
    TraceCandidate,
    TraceFacet,
    TraceFacetScore,
    TraceHit,
    TracePreference,
    TraceQuery,
)
from secondhop.wording import causes_once, counted

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

DROPPED_SHOWN = 3
"""Dropped candidates a facet shows; the rest is counted."""

RANK_SHOWN = 10
"""A query's line names the returned memories that it found at this rank or better."""

SERVES_WELL = 3
"""A memory also serves a facet in which it ranks this or better."""


def trace_tree(trace: RecallTrace) -> "Tree":
    """facets → queries and candidates, then why it stopped and where the time went."""
    from rich.tree import Tree

    root = Tree(line(shorten(trace.question, 200), style="bold"))
    homes = candidates_by_home(trace)
    for facet in trace.facets:
        add_facet(root, facet, trace=trace, candidates=homes.get(facet.facet_id, []))
    if trace.rest:
        root.add(line(f"{len(trace.rest)} more had lower scores", style="dim"))
    for preference in trace.preferences:
        root.add(line(preference_line(preference)))
    if trace.where:
        root.add(line(f"only {where_text(trace.where)}"))
    if trace.kept_settings:
        kept = [f"{clean(n)}={clean(str(trace.settings.get(n)))}" for n in trace.kept_settings]
        root.add(line(f"kept with the entity: {', '.join(kept)}"))
    stop = f"stopped: {trace.stop_reason}"
    root.add(line(f"{stop}, {clean(trace.stop_detail)}" if trace.stop_detail else stop))
    for reason in causes_once(trace.degraded):
        root.add(line(f"done without: {clean(reason)}", style="yellow"))
    if trace.spent.llm_calls:
        costs = root.add(line(cost_text(trace.spent)))
        for entry in calls_per_node(trace):
            costs.add(line(entry, style="dim"))
    times = root.add(line(f"time: {trace.spent.ms:.0f} ms in all"))
    for entry in time_per_node(trace):
        times.add(line(entry, style="dim"))
    return root


def where_text(where: Mapping[str, Any]) -> str:
    """A filter in words: "tags: work, home; after: 2026-01-01T00:00:00+00:00"."""
    fields = [
        (name, ", ".join(given) if isinstance(given, list) else given)
        for name, given in where.items()
    ]
    return "; ".join(f"{name}: {clean(str(given))}" for name, given in fields)


def preference_line(preference: TracePreference) -> str:
    """A preference that was given, and what asked for it."""
    asked = f", asked for by “{clean(preference.facet)}”" if preference.facet else ""
    if preference.by_name:
        asked = ", asked for by name"
    scope = shorten(preference.scope, 60)
    ended = f", {clean(preference.stale)}" if preference.stale else ""
    name = clean(preference.memory_id)
    return f"preference ({scope}) {preference.score:.2f}: {name}{asked}{ended}"


def line(text: str, *, style: str = "") -> "Text":
    """One line of the tree; its continuation lines keep the tree's shape."""
    from rich.text import Text

    return Text(text, style=style)


def add_facet(
    root: "Tree", facet: TraceFacet, *, trace: RecallTrace, candidates: Sequence[TraceCandidate]
) -> None:
    """One facet with its queries, the memories it gave a slot, and those it lost."""
    from rich.text import Text

    head = f"{clean(facet.name)} (hop {facet.hop}, weight {facet.weight:.2g})"
    branch = root.add(Text.assemble((head, "bold"), (f" {clean(facet.why)}", "dim")))
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
    """One query: what was asked, by whom and when, and the returned memories it brought."""
    from rich.text import Text

    told = [f"round {query.round}", clean(query.origin), *filter(None, [brought(query, returned)])]
    asked = f"? {shorten(query.text, 160)}"
    node = branch.add(Text.assemble((asked, "cyan"), (f"  [{'; '.join(told)}]", "dim")))
    if query.error:
        node.add(line(f"failed: {clean(query.error)}", style="red"))


def brought(query: TraceQuery, returned: Sequence[str]) -> str:
    """The returned memories that each search had near its top: "dense 1st #2, lexical 3rd #5"."""
    found = [
        (hit.rank, returned.index(hit.memory_id) + 1, leg)
        for leg, hits in (("dense", query.dense), ("lexical", query.lexical))
        for hit in best_hits(hits)
        if hit.memory_id in returned and hit.rank <= RANK_SHOWN
    ]
    return ", ".join(f"#{slot} at {leg} rank {rank}" for rank, slot, leg in sorted(found))


def best_hits(hits: Sequence[TraceHit]) -> list[TraceHit]:
    """The best hit of each memory."""
    best: dict[str, TraceHit] = {}
    for hit in hits:
        best.setdefault(hit.memory_id, hit)
    return list(best.values())


def kept_line(candidate: TraceCandidate, facet: TraceFacet, *, trace: RecallTrace) -> str:
    """A memory that came back, with its scores in this facet and the other facets it serves."""
    score = facet_score(candidate, facet.facet_id)
    parts = f" = dense {score.dense:.2f}, lexical {score.lexical:.2f}" if score else ""
    text = f"+ #{candidate.slot} {named(candidate)} {candidate.score:.2f}{parts}"
    votes = ", ".join(f"{vote.vote} by {vote.by}" for vote in candidate.votes[-1:])
    names = {known.facet_id: clean(known.name) for known in trace.facets}
    others = [
        names.get(one.facet_id) or clean(one.facet_id)
        for one in candidate.facet_scores
        if one.facet_id != facet.facet_id and one.rank <= SERVES_WELL
    ]
    also = f"; also near the top for {', '.join(others)}" if others else ""
    return f"{text}{'; ' + votes if votes else ''}{also}"


def dropped_line(candidate: TraceCandidate, *, trace: RecallTrace) -> str:
    """A memory that did not come back, and the reason that decided."""
    text = f"- {named(candidate)} {candidate.score:.2f}"
    drop = last_cut(trace, candidate)
    if drop is None:
        return text
    return f"{text}: {drop.stage} in round {drop.round}: {clean(drop.reason)}"


def named(candidate: TraceCandidate) -> str:
    """Title and id, as text that steers no terminal."""
    memory_id = clean(candidate.memory_id)
    return f"{shorten(candidate.title, 80) or memory_id} [{memory_id}]"


def candidates_by_home(trace: RecallTrace) -> dict[str, list[TraceCandidate]]:
    """{facet id: its candidates}, in the trace's order: each is told once.

    A memory that came back belongs to the facet that gave it the slot, any other to the facet it
    is most relevant to.
    """
    homes: dict[str, list[TraceCandidate]] = {}
    for candidate in trace.candidates:
        if candidate.facet_scores:
            nearest = max(candidate.facet_scores, key=lambda one: (one.relevance, -one.rank))
            homes.setdefault(candidate.slot_facet or nearest.facet_id, []).append(candidate)
    return homes


def facet_score(candidate: TraceCandidate, facet_id: str) -> TraceFacetScore | None:
    """How the candidate stands in that facet."""
    return next((one for one in candidate.facet_scores if one.facet_id == facet_id), None)


def time_per_node(trace: RecallTrace) -> Iterator[str]:
    """ "retrieve 12 runs, longest 41 ms", the longest run first.

    No sum: the runs of a node wait side by side, so together they may exceed the wall time.
    """
    spent: dict[str, list[float]] = {}
    for step in trace.steps:
        spent.setdefault(step.node, []).append(step.ms)
    for node, times in sorted(spent.items(), key=lambda pair: -max(pair[1])):
        runs = f"{len(times)} runs, longest " if len(times) > 1 else ""
        yield f"{node} {runs}{max(times):.0f} ms"


def calls_per_node(trace: RecallTrace) -> Iterator[str]:
    """ "critique in round 2: 1 call, 3,412 tokens", in the order the steps began."""
    for step in trace.steps:
        if step.llm_calls:
            calls = counted(step.llm_calls, "call")
            where = f"{step.node} in round {step.round}" if step.round else step.node
            yield f"{where}: {calls}, {step.prompt_tokens + step.completion_tokens:,} tokens"

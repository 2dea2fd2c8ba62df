"""Prints a trace as a tree: facets, their queries, and the memories kept or dropped."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from rich.text import Text
from rich.tree import Tree

from secondhop.cli.cost_view import cost_text, duration
from secondhop.cli.terminal import clean, shorten
from secondhop.graph.deciding import deciding, deciding_text, facet_score
from secondhop.graph.explain import last_cut
from secondhop.graph.trace import (
    RecallTrace,
    TraceCandidate,
    TraceFacet,
    TracePreference,
    TraceQuery,
)
from secondhop.nodes.selection.blend import BROAD_CUES, CUES
from secondhop.wording import causes_once, counted

DROPPED_SHOWN = 3
"""Dropped candidates shown per facet; the rest are counted."""

RANK_SHOWN = 10
"""A query's line lists returned memories only if it found them at this rank or better."""

LEAST_WEIGHT = 0.01
"""A facet with a smaller weight and no candidates gets no branch."""

NOTICED = 0.05
"""A smaller part of a score is not shown."""

LEGEND = (
    "? is a query: who wrote it, and at which ranks it found the returned memories. + was "
    "returned, with its slot. - was found but not returned, with the reason. The number is the "
    "score that decided; what searches found is in brackets."
)


def trace_tree(trace: RecallTrace) -> Tree:
    """Facets with their queries and candidates, then the stop reason, the cost and the legend."""
    root = Tree(Text(shorten(trace.question, 200), style="bold"))
    homes = candidates_by_home(trace)
    told = [f for f in trace.facets if f.weight >= LEAST_WEIGHT or f.facet_id in homes]
    for facet in told:
        add_facet(root, facet, trace=trace, candidates=homes.get(facet.facet_id, []))
    if unheeded := [clean(facet.name) for facet in trace.facets if facet not in told]:
        root.add(Text(f"next to no weight: {', '.join(unheeded)}", style="dim"))
    if trace.rest:
        root.add(Text(f"{len(trace.rest)} more had lower scores", style="dim"))
    for preference in trace.preferences:
        root.add(Text(preference_line(preference)))
    if trace.where:
        root.add(Text(f"only {where_text(trace.where)}"))
    stop = f"stopped: {trace.stop_reason}"
    root.add(Text(f"{stop} ({clean(trace.stop_detail)})" if trace.stop_detail else stop))
    for reason in causes_once(trace.degraded):
        root.add(Text(f"degraded: {clean(reason)}", style="yellow"))
    if trace.spent.llm_calls:
        root.add(Text("; ".join([cost_text(trace.spent), *calls_per_node(trace)])))
    times = ", ".join(time_per_node(trace))
    root.add(Text(f"time: {duration(trace.spent.ms)} in all; longest runs: {times}"))
    root.add(Text(LEGEND, style="dim"))
    return root


def where_text(where: Mapping[str, Any]) -> str:
    """A filter in words: "tags: work, home; after: 2026-01-01T00:00:00+00:00"."""
    fields = [
        (name, ", ".join(cast("list[str]", given)) if isinstance(given, list) else given)
        for name, given in where.items()
    ]
    return "; ".join(f"{name}: {clean(str(given))}" for name, given in fields)


def preference_line(preference: TracePreference) -> str:
    """A returned preference, and what asked for it."""
    asked = f", asked for by “{clean(preference.facet)}”" if preference.facet else ""
    if preference.by_name:
        asked = ", asked for by name"
    scope = shorten(preference.scope, 60)
    ended = f", {clean(preference.stale)}" if preference.stale else ""
    name = clean(preference.memory_id)
    return f"preference ({scope}) {preference.score:.2f}: {name}{asked}{ended}"


def add_facet(
    root: Tree, facet: TraceFacet, *, trace: RecallTrace, candidates: Sequence[TraceCandidate]
) -> None:
    """Add a branch: one facet with its queries, its returned memories, and the nearest dropped."""
    head = f"{clean(facet.name)} (hop {facet.hop}, weight {facet.weight:.2g})"
    branch = root.add(Text.assemble((head, "bold"), (f": {clean(facet.why)}", "dim")))
    for query in trace.queries:
        if query.facet_id == facet.facet_id:
            add_query(branch, query, returned=trace.returned)
    kept = sorted((c for c in candidates if c.slot is not None), key=lambda c: c.slot or 0)
    dropped = sorted(
        (c for c in candidates if c.slot is None), key=lambda c: place_of(c, trace=trace)
    )
    for candidate in kept:
        branch.add(Text(kept_line(candidate, facet, trace=trace), style="green"))
    for candidate in dropped[:DROPPED_SHOWN]:
        branch.add(Text(dropped_line(candidate, trace=trace), style="dim"))
    if len(dropped) > DROPPED_SHOWN:
        branch.add(Text(f"- and {len(dropped) - DROPPED_SHOWN} more were dropped", style="dim"))


def place_of(candidate: TraceCandidate, *, trace: RecallTrace) -> tuple[bool, int, float]:
    """Sort key for dropped candidates: the nearest to a slot first, then by score."""
    drop = last_cut(candidate)
    rank = drop.rank if drop is not None else None
    return rank is None, rank or 0, -deciding(trace, candidate)


def add_query(branch: Tree, query: TraceQuery, *, returned: Sequence[str]) -> None:
    """Add a query: its text, who wrote it, its round, and the returned memories it found."""
    told = [f"round {query.round}", f"by {clean(query.origin)}"]
    found = brought(query, returned)
    told_of = ", ".join(told) + (f"; {found}" if found else "")
    asked = f"? {shorten(query.text, 160)}"
    node = branch.add(Text.assemble((asked, "cyan"), (f" ({told_of})", "dim")))
    if query.error:
        node.add(Text(f"failed: {clean(query.error)}", style="red"))


def brought(query: TraceQuery, returned: Sequence[str]) -> str:
    """Slots and ranks of the returned memories that each search found.

    "meaning: #2 at 2, #3 at 7; words: #6 at 5"; "" if none.
    """
    told: list[str] = []
    for search, hits in (("meaning", query.dense), ("words", query.lexical)):
        found = [
            f"#{returned.index(hit.memory_id) + 1} at {hit.rank}"
            for hit in hits
            if hit.memory_id in returned and hit.rank <= RANK_SHOWN
        ]
        if found:
            told.append(f"{search}: {', '.join(found)}")
    return "; ".join(told)


def kept_line(candidate: TraceCandidate, facet: TraceFacet, *, trace: RecallTrace) -> str:
    """The line of a returned memory: its score, its cue, its last vote."""
    told = [
        f"+ #{candidate.slot} {named(candidate)} {deciding_text(trace, candidate)}"
        f"{sources(candidate, facet)}"
    ]
    if candidate.cue and by_cue(candidate):
        told.append(f"stored for “{shorten(candidate.cue, 80)}”")
    told += [f"{vote.vote} by {vote.by}" for vote in candidate.votes[-1:]]
    return "; ".join(filter(None, told))


def sources(candidate: TraceCandidate, facet: TraceFacet) -> str:
    """What each search added to the score, or else its cosine and word score; "" if unknown."""
    if candidate.parts:
        parts = sorted(candidate.parts.items(), key=lambda part: -part[1])
        added = ", ".join(f"{name} {worth:+.1f}" for name, worth in parts if worth >= NOTICED)
        return f" ({added})" if added else ""
    score = facet_score(candidate, facet.facet_id)
    return f" (cosine {score.dense:.2f}, words {score.lexical:.2f})" if score else ""


def by_cue(candidate: TraceCandidate) -> bool:
    """Whether cues added the largest part of its score."""
    best = max(candidate.parts, key=lambda name: candidate.parts[name], default="")
    return best in {CUES, BROAD_CUES}


def dropped_line(candidate: TraceCandidate, *, trace: RecallTrace) -> str:
    """The line of a memory that was not returned, with the deciding reason."""
    text = f"- {named(candidate)} {deciding_text(trace, candidate)}"
    drop = last_cut(candidate)
    if drop is None:
        return text
    where = f"round {drop.round}, " if trace.spent.rounds > 1 else ""
    return f"{text}: {where}{drop.stage}: {clean(drop.reason)}"


def named(candidate: TraceCandidate) -> str:
    """Title and id, without terminal controls."""
    memory_id = clean(candidate.memory_id)
    return f"{shorten(candidate.title, 80) or memory_id} [{memory_id}]"


def candidates_by_home(trace: RecallTrace) -> dict[str, list[TraceCandidate]]:
    """{facet id: its candidates, in the trace's order}; each candidate is listed once.

    A returned memory belongs to the facet that gave it the slot, any other to the facet that it is
    most relevant to.
    """
    homes: dict[str, list[TraceCandidate]] = {}
    for candidate in trace.candidates:
        if candidate.facet_scores:
            nearest = max(candidate.facet_scores, key=lambda one: (one.relevance, -one.rank))
            homes.setdefault(candidate.slot_facet or nearest.facet_id, []).append(candidate)
    return homes


def time_per_node(trace: RecallTrace) -> Iterator[str]:
    """The longest run of each node, longest first: "retrieve 41 ms (12 runs)".

    Times are not added up, because the runs of a node overlap.
    """
    spent: dict[str, list[float]] = {}
    for step in trace.steps:
        spent.setdefault(step.node, []).append(step.ms)
    for node, times in sorted(spent.items(), key=lambda pair: -max(pair[1])):
        runs = f" ({len(times)} runs)" if len(times) > 1 else ""
        yield f"{node} {max(times):.0f} ms{runs}"


def calls_per_node(trace: RecallTrace) -> Iterator[str]:
    """ "critique in round 2: 1 call, 3,412 tokens", in the order the steps began."""
    for step in trace.steps:
        if step.llm_calls:
            calls = counted(step.llm_calls, "call")
            where = f"{step.node} in round {step.round}" if step.round else step.node
            yield f"{where}: {calls}, {step.prompt_tokens + step.completion_tokens:,} tokens"

"""A recorded recall, asked again with another prompt or setting: what changed, and why."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from secondhop.graph.explain import last_cut
from secondhop.graph.trace import RecallTrace, TraceCandidate
from secondhop.nodes.services import Services
from secondhop.nodes.state import Effort
from secondhop.recall import Recall
from secondhop.stores.where import Where

NOTICED = 0.005
"""Smaller differences of a score are not worth a word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """A memory whose place in the answer is another."""

    memory_id: str
    title: str
    before: int | None
    """Its slot, from 1; None when it was not returned."""
    after: int | None
    why: str
    """What the two traces say about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Two recalls of one question."""

    before: RecallTrace
    after: RecallTrace
    gone: frozenset[str] = frozenset()
    """Ids of memories that are no longer stored."""

    def came(self) -> list[MemoryChange]:
        """Returned now and not before."""
        return [self._change(m) for m in self.after.returned if m not in self.before.returned]

    def went(self) -> list[MemoryChange]:
        """Returned before and not now."""
        return [self._change(m) for m in self.before.returned if m not in self.after.returned]

    def moved(self) -> list[MemoryChange]:
        """Returned both times, now in another slot."""
        both = [self._change(m) for m in self.after.returned if m in self.before.returned]
        return [change for change in both if change.before != change.after]

    def settings(self) -> dict[str, tuple[Any, Any]]:
        """{setting: (before, now)} of those that differ and that both versions know."""
        old, new = self.before.settings, self.after.settings
        both = sorted(name for name in old.keys() & new.keys() if not name.startswith("question."))
        return {name: (old[name], new[name]) for name in both if old[name] != new[name]}

    def queries(self) -> tuple[list[str], list[str]]:
        """(asked before only, asked now only), in order."""
        old, new = asked_texts(self.before), asked_texts(self.after)
        return [q for q in old if q not in new], [q for q in new if q not in old]

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        before, after = self.queries()
        return {
            "question": self.after.question,
            "before": summary(self.before),
            "after": summary(self.after),
            "settings": {
                name: {"before": old, "after": new} for name, (old, new) in self.settings().items()
            },
            "queries": {"before_only": before, "after_only": after},
            "came": [asdict(change) for change in self.came()],
            "went": [asdict(change) for change in self.went()],
            "moved": [asdict(change) for change in self.moved()],
        }

    def _change(self, memory_id: str) -> MemoryChange:
        old, new = self.before.candidate(memory_id), self.after.candidate(memory_id)
        known = new or old
        return MemoryChange(
            memory_id=memory_id,
            title=known.title if known else "",
            before=old.slot if old else None,
            after=new.slot if new else None,
            why=self._why(memory_id, old, new),
        )

    def _why(self, memory_id: str, old: TraceCandidate | None, new: TraceCandidate | None) -> str:
        if memory_id in self.gone:
            return "it is no longer stored"
        if old is not None and new is not None and old.slot and new.slot:
            return differences(old, new) or "others came or went before it"
        return f"before: {standing(self.before, old)}; now: {standing(self.after, new)}"


async def replayed(
    before: RecallTrace, recall: Recall, *, k: int | None = None, at: datetime | None = None
) -> Replay:
    """Ask the question of a trace again, as it was asked, with the settings of `recall`.

    Args:
        k: memories to return; default as many as then.
        at: "now" for the question; default the time it was asked.

    Raises:
        UnknownEntityError: nothing is stored for the entity.
    """
    result = await recall.arecall(
        before.question,
        k=k or before.k,
        tokens=before.tokens,
        at=at or before.asked_at,
        as_of=asked_as_of(before),
        include_stale=before.include_stale,
        where=Where.of(before.where),
        effort=asked_effort(before, recall.services),
    )
    after = recall.trace(result.trace_id)
    stored = await recall.store.cards(before.returned)
    return Replay(before=before, after=after, gone=missing(before.returned, stored))


def asked_effort(trace: RecallTrace, services: Services) -> Effort | None:
    """As much as then, where a model was asked and there is one now; None: what is usual."""
    has_model = services.planner is not None or services.critic is not None
    return trace.effort if has_model and trace.effort != "none" else None


def asked_as_of(trace: RecallTrace) -> datetime | None:
    """The moment whose belief was asked for; None where the setting `hide_later` chose it."""
    hides_later = trace.settings.get("ranking.hide_later") and trace.as_of == trace.asked_at
    return None if hides_later else trace.as_of


def missing(wanted: Sequence[str], stored: Collection[str]) -> frozenset[str]:
    """Those wanted that are not stored."""
    return frozenset(wanted) - frozenset(stored)


def asked_texts(trace: RecallTrace) -> list[str]:
    """The queries that were asked, each text once."""
    return list(dict.fromkeys(query.text for query in trace.queries if query.round))


def standing(trace: RecallTrace, candidate: TraceCandidate | None) -> str:
    """How a memory stood in one recall."""
    if candidate is None:
        return "no query found it"
    voted = f"voted {spoken_vote(candidate)}, " if candidate.votes else ""
    if candidate.slot is not None:
        return f"{voted}slot {candidate.slot} for “{facet_of(trace, candidate)}”"
    cut = last_cut(trace, candidate)
    return f"{voted}{cut.stage}: {cut.reason}" if cut else f"{voted}no slot was left"


def spoken_vote(candidate: TraceCandidate) -> str:
    """The last vote on it, with its reason."""
    last = candidate.votes[-1]
    told = last.reason not in ("", f"voted {last.vote}")
    return f"{last.vote} ({last.reason})" if told else last.vote


def facet_of(trace: RecallTrace, candidate: TraceCandidate) -> str:
    """Name of the facet that gave it its slot."""
    names = {facet.facet_id: facet.name for facet in trace.facets}
    return names.get(candidate.slot_facet, "another facet")


def differences(old: TraceCandidate, new: TraceCandidate) -> str:
    """What is otherwise about a memory that was returned both times."""
    told: list[str] = []
    if abs(old.score - new.score) >= NOTICED:
        told.append(f"score {old.score:.2f} → {new.score:.2f}")
    votes = [one.votes[-1].vote if one.votes else "no vote" for one in (old, new)]
    if votes[0] != votes[1]:
        told.append(f"{votes[0]} → {votes[1]}")
    return ", ".join(told)


def summary(trace: RecallTrace) -> dict[str, Any]:
    """What a recall was done with, and what it cost."""
    return {
        "trace_id": trace.trace_id,
        "asked_at": trace.asked_at.isoformat(),
        "planner": trace.planner,
        "critic": trace.critic,
        "memories": trace.returned,
        "stop_reason": trace.stop_reason,
        "degraded": trace.degraded,
        "spent": trace.spent.model_dump(mode="json"),
    }

"""Explains a memory that was not ranked: never found, hidden, forgotten, or a preference."""

from datetime import datetime

from secondhop.graph.explanation import Explanation, Reach
from secondhop.graph.nearest_change import either
from secondhop.graph.trace import RecallTrace, TraceHidden, TracePreference
from secondhop.nodes.selection.visibility import OUTSIDE
from secondhop.stores.keeping import holds_always
from secondhop.wording import command


def forgotten_since(trace: RecallTrace, memory_id: str) -> Explanation:
    """The story of a memory that was forgotten after the recall."""
    slot = f" It had slot {trace.returned.index(memory_id) + 1}." * (memory_id in trace.returned)
    return Explanation(
        memory_id=memory_id,
        title="",
        returned=memory_id in trace.returned,
        story=[f"It was forgotten after this recall; its words were taken out of the trace.{slot}"],
        cut_by="" if memory_id in trace.returned else "forgotten",
        nearest_change="",
    )


def given_apart(preference: TracePreference) -> Explanation:
    """The story of a preference that was given with the answer."""
    if preference.by_name:
        asked = f"The plan asked for it by the name of its context, “{preference.scope}”."
    elif preference.facet:
        asked = (
            f"The plan asked for its context, “{preference.scope}”: facet “{preference.facet}” "
            f"with “{preference.query}” (similarity {preference.score:.2f})."
        )
    elif holds_always(preference.scope):
        asked = "It was stored as always valid." if preference.stale else "It always holds."
    else:
        asked = (
            f"The question is near its context, “{preference.scope}” "
            f"(similarity {preference.score:.2f})."
        )
    if preference.stale:
        asked += (
            f" It is no longer valid ({preference.stale}); outdated memories were asked for, too."
        )
    return Explanation(
        memory_id=preference.memory_id,
        title=preference.scope,
        returned=True,
        story=[asked, "It is a preference: it is returned beside the memories and takes no slot."],
        cut_by="",
        nearest_change="",
    )


def kept_back(hidden: TraceHidden) -> Explanation:
    """The story of a memory that queries found but that may not be shown."""
    told = not_shown(hidden.memory_id, hidden.title, hidden.reason)
    return told.model_copy(update={"story": ["A search found it.", *told.story]})


def not_shown(memory_id: str, title: str, reason: str) -> Explanation:
    """The story of a memory that may not be shown, whether or not a search would find it."""
    change = "storing it as another kind of memory"
    if reason.startswith("written after"):
        change = "a recall as of a later time"
    elif reason.startswith(("superseded", "deprecated", "expired")):
        change = (
            f"`--include-stale` shows it, marked as outdated; "
            f"{command('update', memory_id, '--restore')} makes it valid again"
        )
    return absent(memory_id, title, [f"It was not returned: {reason}."], "validity", change)


def left_out(memory_id: str, title: str) -> Explanation:
    """The story of a memory that the filter of the recall does not admit."""
    story = [f"It was not searched: {OUTSIDE}."]
    return absent(memory_id, title, story, "filter", "a filter that admits it, or none")


def written_later(memory_id: str, title: str, created_at: datetime) -> Explanation:
    """The story of a memory that was stored after the recall."""
    story = [
        "No query of this recall found it.",
        f"It is dated {created_at:%Y-%m-%d %H:%M} UTC, after this recall. A query would find "
        f"it now, so it was not stored yet.",
    ]
    return absent(memory_id, title, story, "never_found", "ask again; it may be found now")


def never_found(memory_id: str, reach: Reach, *, place: int, cue: str) -> Explanation:
    """The story of a memory that no query brought. `place`: its best one in a search; 0: it has
    none."""
    if not reach.rank:
        story = ["No query of this recall found it, or came anywhere near it."]
        return absent(memory_id, reach.title, story, "never_found", either(NAMING, cue))
    factor = reach.depth_factor
    deeper = f"`--set ranking.depth_factor={factor}`, which searches deeper" if factor else ""
    story = [
        f"No query of this recall brought it; its best place in a search is {place}."
        if place
        else "No query of this recall found it.",
        f"It is nearest to “{reach.query}”: place {reach.rank}, similarity {reach.cosine:.2f}. "
        f"A query brings back {reach.depth}; the last had {reach.last_cosine:.2f}.",
    ]
    return absent(memory_id, reach.title, story, "never_found", either(deeper, NAMING, cue))


NAMING = "a question that names what the memory is about"


def found_far(memory_id: str, reach: Reach, *, place: int, cue: str) -> Explanation:
    """The story of a memory that searches found, best at this place, but that was no candidate."""
    said = (
        f"A search found it at place {place}; the memories ahead of it are nearer to the question."
    )
    return absent(memory_id, reach.title, [said], "fuse", either(NAMING, cue))


def absent(memory_id: str, title: str, story: list[str], cut_by: str, change: str) -> Explanation:
    """The explanation of a memory that was not returned."""
    return Explanation(
        memory_id=memory_id,
        title=title,
        returned=False,
        story=story,
        cut_by=cut_by,
        nearest_change=change,
    )

"""The names of facts and preferences that a plan may ask for.

A planner that has seen the names can ask for one, and need not guess a query with its words.
"""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from secondhop.errors import StoreError
from secondhop.nodes.budget import time_beside
from secondhop.nodes.planning.port import KeptName
from secondhop.nodes.selection.preferences import compared
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallState
from secondhop.stores.catalog.analysis import document_terms
from secondhop.stores.catalog.rows import folded
from secondhop.stores.keeping import Kind

FACTS: Final = 40
PREFERENCES: Final = 20
"""Most names of each kind that a planner sees. Names that share words with the question come first,
then the newest."""

LOOKED_AT: Final = 1_000
"""The newest facts, from which the names are chosen."""


async def kept_names(state: RecallState, *, services: Services) -> tuple[list[KeptName], str]:
    """(names of facts and preferences that may be shown, what failed or "").

    ([], "") without a planner. If the store cannot be read in time, planning goes on without names.
    """
    if services.keeping is None or services.planner is None:
        return [], ""
    try:
        async with asyncio.timeout(time_beside(state)):
            hidden = await services.hidden.of(state, services)
    except (StoreError, TimeoutError) as error:
        late = str(error) or "no answer in time"
        return [], f"the plan was made without the names of facts and preferences: {late}"
    said = frozenset(document_terms(state["question"]))
    rows = [(one.subject, one.attribute, one.memory_id) for one in hidden.facts]
    facts = together("factual", rows[-LOOKED_AT:], ended=hidden.ended)
    rows = [(one.scope, one.subject, one.memory_id) for one in compared(hidden)]
    contexts = together("preferential", rows, ended=hidden.ended)
    return [*likeliest(facts, said, most=FACTS), *likeliest(contexts, said, most=PREFERENCES)], ""


def together(
    kind: Kind, rows: Iterable[tuple[str, str, str]], *, ended: Collection[str]
) -> list[KeptName]:
    """One `KeptName` per name, newest first, spelt as in its newest memory. `rows`: (subject or
    context, attribute or topic, memory id), oldest first.

    >>> rows = [("me", "diet", "f-1"), ("Me", "Diet", "f-2"), ("me", "city", "f-3")]
    >>> [(one.of, one.name, one.memory_ids) for one in together("factual", rows, ended={"f-2"})]
    [('me', 'city', ('f-3',)), ('Me', 'Diet', ('f-1', 'f-2'))]
    """
    said: dict[tuple[str, str], tuple[str, str]] = {}
    members: dict[tuple[str, str], list[str]] = {}
    for of, name, memory_id in reversed([*rows]):
        key = folded(of), folded(name)
        said.setdefault(key, (of, name))
        members.setdefault(key, []).append(memory_id)
    return [
        KeptName(kind, *said[key], tuple(sorted(ids, key=lambda one: one in ended)))
        for key, ids in members.items()
    ]


def likeliest(names: Sequence[KeptName], said: frozenset[str], *, most: int) -> list[KeptName]:
    """At most `most` names: those that share most terms with the question first, then in order."""
    ranked = sorted(names, key=lambda one: -len(said & {*document_terms(f"{one.of} {one.name}")}))
    return ranked[:most]

"""The names of an entity's facts and preferences that a plan may ask for.

A plan that has seen the names can ask for one by name, and needs no query that is worded like it.
"""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from secondhop.errors import StoreError
from secondhop.nodes.auxiliary_timeout import time_beside
from secondhop.nodes.planning.port import KeptName
from secondhop.nodes.selection.preferences import compared
from secondhop.nodes.selection.visibility import Hidden, sight_of
from secondhop.nodes.services import Services
from secondhop.nodes.state import RecallState
from secondhop.stores.catalog.analysis import document_terms
from secondhop.stores.catalog.rows import folded
from secondhop.stores.keeping import Kind

FACTS: Final = 40
PREFERENCES: Final = 20
"""Names that a planner sees; of more, those that share words with the question, then the
newest."""

LOOKED_AT: Final = 1_000
"""Facts, the newest, that are looked at for them."""


async def kept_names(state: RecallState, *, services: Services) -> tuple[list[KeptName], str]:
    """(names of what may be shown, "" or what could not be done); nothing for playbooks, which ask
    by nearness alone.

    A store that cannot be read in time is named, and planning goes on without.
    """
    if services.keeping is None or services.planner is None:
        return [], ""
    try:
        async with asyncio.timeout(time_beside(state)):
            hidden = await services.hidden.of(sight_of(state), services)
    except (StoreError, TimeoutError) as error:
        late = str(error) or "no answer in time"
        return [], f"the plan was not told what is kept by name: {late}"
    said = frozenset(document_terms(state["question"]))
    facts, contexts = named_facts(hidden), named_contexts(hidden)
    return [*likeliest(facts, said, most=FACTS), *likeliest(contexts, said, most=PREFERENCES)], ""


def named_facts(hidden: Hidden) -> list[KeptName]:
    """The newest facts that may be shown, values of the same name together."""
    rows = [(one.subject, one.attribute, one.memory_id) for one in hidden.facts]
    return together("factual", rows[-LOOKED_AT:], ended=hidden.ended)


def named_contexts(hidden: Hidden) -> list[KeptName]:
    """Preferences of a context that may be shown, by context and topic."""
    rows = [(one.scope, one.subject, one.memory_id) for one in compared(hidden)]
    return together("preferential", rows, ended=hidden.ended)


def together(
    kind: Kind, rows: Iterable[tuple[str, str, str]], *, ended: Collection[str]
) -> list[KeptName]:
    """One row a name, as the newest of it says it.

    Args:
        rows: (what it is of, its name, memory id), the oldest first.

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
    """The first ones: those that share the most terms with the question, else in their order."""
    ranked = sorted(names, key=lambda one: -len(said & {*document_terms(f"{one.of} {one.name}")}))
    return ranked[:most]

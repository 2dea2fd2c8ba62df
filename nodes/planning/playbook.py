"""The planner without a model: playbooks, looked up by meaning."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from secondhop.models.embedder import Embedder, Vectors
from secondhop.nodes.planning.map_choice import (
    TOPIC_WEIGHT,
    MapChoice,
    facet_nearness,
    kept_facets,
    told,
    topic_text,
    uncovered_topics,
)
from secondhop.nodes.planning.port import Plan, PlannedFacet, PlanRequest
from secondhop.nodes.planning.question_kind import LOOKUPS, question_kind
from secondhop.prompts.library import SLOT, Intent
from secondhop.ranking.arrays import Floats, Indices
from secondhop.ranking.keyphrases import noun_slots
from secondhop.stores.records import Topic

INTENTS = 3
"""Nearest intents that are blended."""

TEMPERATURE = 0.05
"""Of the blend, in cosine: an intent this much less near weighs 1/e of the nearest."""

WARM_PART = 128
"""Example questions embedded at a time."""


LOOKUP_WEIGHT = 0.4
"""Mean weight of the facets of a look-up; 1 for other questions."""

NAME_SHARE = 0.5
"""What the cosine with an intent's name adds to the nearness of its example questions."""

SAME_FACET = 0.86
"""Cosine of two facets' mean query vectors from which on they are one facet."""


@dataclass(slots=True)
class BlendedFacet:
    """A facet on its way into a plan."""

    name: str
    why: str
    hop: int
    weight: float
    queries: list[str]
    direction: Floats
    """[dim], unit length: mean of its query vectors."""


class PlaybookPlanner:
    """Finds the intents nearest to a question and blends their facets.

    An intent is as near as the mean of its two nearest example questions, plus half the cosine
    of its name. They are embedded at first use; with a caching embedder once a machine.
    """

    def __init__(
        self,
        intents: Sequence[Intent],
        *,
        embedder: Embedder,
        library_embedder: Embedder | None = None,
        facets: int = 10,
        map_choice: MapChoice | None = None,
    ) -> None:
        """`library_embedder` embeds the library's own texts; give one with a cache that lasts."""
        self._intents = intents
        self._embedder = embedder
        self._library_embedder = library_embedder or embedder
        self._facets = facets
        self._map_choice = map_choice or MapChoice()
        self._asks: Vectors | None = None
        self._names: Vectors | None = None
        self._owners = np.repeat(np.arange(len(intents)), [len(i.asks) for i in intents])

    @property
    def planner_id(self) -> str:
        """Its name and the size of its library."""
        return f"playbooks:{len(self._intents)}"

    @property
    def questions(self) -> Vectors | None:
        """The library's example questions, float32 [n, dim]; None until `warm`."""
        return self._asks

    async def warm(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Embed the library now, instead of at the first question.

        In parts, so that with a caching embedder an interrupted start goes on where it stopped.

        Args:
            progress: hears (done, total) example questions.
        """
        if self._asks is not None:
            return
        asks = [ask for intent in self._intents for ask in intent.asks]
        parts: list[Vectors] = []
        for start in range(0, len(asks), WARM_PART):
            parts.append(
                await self._library_embedder.embed_passages(asks[start : start + WARM_PART])
            )
            if progress is not None:
                progress(min(start + WARM_PART, len(asks)), len(asks))
        names = [intent.name.replace("-", " ") for intent in self._intents]
        self._names = await self._library_embedder.embed_passages(names)
        self._asks = np.concatenate(parts) if parts else np.zeros((0, 1), np.float32)

    async def decompose(self, request: PlanRequest) -> Plan:
        """The kind of question, and a facet for each of several things asked in one breath.

        Of several questions each is, besides, asked for the facet of the question itself: what
        answers one of them answers what was asked.
        """
        several = questions_in(request.question)
        parts = coordinated(request.question) if not several else [(one, one) for one in several]
        facets = [
            PlannedFacet(name=name, why="Named in the question.", hop=1, queries=(query,))
            for name, query in parts
        ]
        if several:
            facets.append(PlannedFacet(name="", why="", hop=1, queries=tuple(several)))
        return Plan(facets=tuple(facets), kind=question_kind(request.question))

    async def expand(self, request: PlanRequest) -> Plan:
        """Facets of the nearest intents, the likeliest first.

        Whoever looks a fact up wants little beside it, so the facets then weigh less. The memory
        map may drop some and add others.
        """
        await self.warm()
        near = await self._nearest(request.question)
        lookup = question_kind(request.question) in LOOKUPS
        slot = (noun_slots(request.question) or [request.question])[0]
        blended: list[BlendedFacet] = []
        for intent, weight in near:
            await self._blend(blended, intent, weight=weight, slot=slot)
        best = sorted(blended, key=lambda facet: -facet.weight)[: self._facets]
        mean = sum(facet.weight for facet in best) / max(1, len(best))
        scale = (LOOKUP_WEIGHT if lookup else 1.0) / max(mean, 1e-9)
        plan = Plan(facets=tuple(planned(facet, scale=scale) for facet in best))
        if not self._map_choice.is_on or not request.topics:
            return plan
        topic_weight = TOPIC_WEIGHT * (LOOKUP_WEIGHT if lookup else 1.0)
        return await self._by_map(plan, request, topic_weight=topic_weight)

    async def _by_map(self, plan: Plan, request: PlanRequest, *, topic_weight: float) -> Plan:
        """The plan as the memory map would have it."""
        topics = await self._embedder.embed_passages([topic_text(one) for one in request.topics])
        (question,) = await self._embedder.embed_queries([request.question])
        queries = [await self._embedder.embed_queries(list(one.queries)) for one in plan.facets]
        nearness = facet_nearness(queries, topics).reshape(len(queries), len(topics))
        kept = kept_facets(nearness, drop=self._map_choice.drop)
        near = np.asarray(topics @ question, dtype=np.float64)
        opened = uncovered_topics(nearness, near, limit=self._map_choice.topics)
        added = [topic_facet(request.topics[one], weight=topic_weight) for one in opened]
        facets = (*(plan.facets[one] for one in kept), *added)
        dropped = [one.name for row, one in enumerate(plan.facets) if row not in kept]
        return replace(plan, facets=facets, note=told(dropped, [one.name for one in added]))

    async def _nearest(self, question: str) -> list[tuple[Intent, float]]:
        """The nearest intents with their weights in the blend, nearest first."""
        if self._asks is None or self._names is None or not self._intents:
            return []
        (vector,) = await self._embedder.embed_passages([question])
        nearness = intent_nearness(self._asks @ vector, self._owners, count=len(self._intents))
        nearness += NAME_SHARE * (self._names @ vector)
        order = np.argsort(-nearness, kind="stable")[:INTENTS]
        weights = np.exp((nearness[order] - nearness[order[0]]) / TEMPERATURE)
        return [(self._intents[i], float(w)) for i, w in zip(order, weights, strict=True)]

    async def _blend(
        self, blended: list[BlendedFacet], intent: Intent, *, weight: float, slot: str
    ) -> None:
        """Add an intent's facets, into facets that mean the same where there are any."""
        filled = [[query.replace(SLOT, slot) for query in f.queries] for f in intent.facets]
        vectors = await self._embedder.embed_queries([q for queries in filled for q in queries])
        start = 0
        for facet, queries in zip(intent.facets, filled, strict=True):
            mean = vectors[start : start + len(queries)].mean(axis=0)
            start += len(queries)
            candidate = BlendedFacet(
                name=facet.name,
                why=facet.why,
                hop=facet.hop,
                weight=weight * facet.weight,
                queries=queries,
                direction=np.asarray(mean / np.linalg.norm(mean), dtype=np.float64),
            )
            merge_facet(blended, candidate)


def merge_facet(blended: list[BlendedFacet], new: BlendedFacet) -> None:
    """Let `new` strengthen the first facet that means the same, or stand by itself."""
    for facet in blended:
        if float(facet.direction @ new.direction) > SAME_FACET:
            facet.weight += new.weight
            return
    blended.append(new)


def topic_facet(topic: Topic, *, weight: float) -> PlannedFacet:
    """Looks for what a topic of the memory holds, in the words of its titles."""
    return PlannedFacet(
        name=topic.label,
        why=f"{topic.size} memories are about it, and no other facet asks for them.",
        hop=2,
        weight=weight,
        queries=tuple(topic.titles) or (topic.label,),
    )


def planned(facet: BlendedFacet, *, scale: float) -> PlannedFacet:
    """The plan's form of a blended facet."""
    return PlannedFacet(
        name=facet.name,
        why=facet.why,
        hop=facet.hop,
        weight=round(facet.weight * scale, 3),
        queries=tuple(facet.queries),
    )


def intent_nearness(ask_cosines: Floats | Vectors, owners: Indices, *, count: int) -> Floats:
    """[count]: mean of the two highest cosines of each intent's example questions."""
    ranked = np.lexsort((-ask_cosines, owners))
    starts = np.searchsorted(owners[ranked], np.arange(count))
    seconds = np.minimum(starts + 1, len(ranked) - 1)
    first, second = ask_cosines[ranked[starts]], ask_cosines[ranked[seconds]]
    alone = owners[ranked[seconds]] != np.arange(count)
    return np.asarray((first + np.where(alone, first, second)) / 2, dtype=np.float64)


MOST_QUESTIONS = 4
"""Of one message that are asked one by one; the others are left to the message as a whole."""

_QUESTION = re.compile(r"[^?？؟]+[?？؟]+")
_SENTENCE_END = re.compile(r"(?<=[.!;。])\s+|\n+")
_POINTS_BACK = re.compile(r"\b(it|its|he|him|she|they|them|those|these)\b", re.I)
_SAYS_ENOUGH = 3
"""Words of a question that asks for something by itself; "really?" does not."""


def questions_in(message: str) -> list[str]:
    """The questions of a message that asks several; [] for one question, however long.

    A question that is too short, or that points back at what was said before, is left to the
    message as a whole.

    >>> questions_in("Who do I work for? where is the key?")
    ['Who do I work for?', 'where is the key?']
    >>> questions_in("Where is the key? Have you seen it?"), questions_in("Where is the key?")
    ([], [])
    """
    asked = [_SENTENCE_END.split(part.strip())[-1] for part in _QUESTION.findall(message)]
    whole = [one for one in asked if len(one.split()) >= _SAYS_ENOUGH]
    alone = whole[:1] + [one for one in whole[1:] if not _POINTS_BACK.search(one)]
    different = list(dict.fromkeys(alone))
    return different[:MOST_QUESTIONS] if len(different) > 1 else []


_PAIR = re.compile(r"\b([\w-]{3,}) and ([\w-]{3,})\b", re.I)
_NOT_A_PAIR = frozenset({"now", "then", "still", "nobody", "everyone", "again", "not", "never"})


def coordinated(question: str) -> list[tuple[str, str]]:
    """(name, query) for each of two things that one question names: "boiler and chimney".

    >>> coordinated("Which boiler and chimney firms did we use?")
    [('boiler', 'Which boiler firms did we use?'), ('chimney', 'Which chimney firms did we use?')]
    """
    pairs = _PAIR.findall(question)
    if len(pairs) != 1 or len(question.split()) > 14:
        return []
    left, right = pairs[0]
    if {left.casefold(), right.casefold()} & _NOT_A_PAIR:
        return []
    return [(word, _PAIR.sub(word, question)) for word in (left, right)]

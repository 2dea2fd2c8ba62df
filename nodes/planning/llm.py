"""The planner that asks a language model: up to two calls in parallel."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from secondhop.models.llm import StructuredLLM
from secondhop.models.tokens import prompt_tokens, truncate_to_tokens
from secondhop.nodes.budget import Remaining
from secondhop.nodes.config import PlanningSettings
from secondhop.nodes.llm_call import ModelCall, affordable_reply, asked_model, tags_for
from secondhop.nodes.plan_step import PLANNING_SHARE
from secondhop.nodes.planning.fact_prompt import asked_names, fitting_names, kept_block, line_of
from secondhop.nodes.planning.near_queries import DistinctQueries
from secondhop.nodes.planning.port import KeptName, Plan, PlannedFacet, PlanRequest
from secondhop.nodes.planning.schema import (
    DecomposeReply,
    ExpandReply,
    ExpandWithKept,
)
from secondhop.prompts.quoting import clean, title_line
from secondhop.prompts.templates import Prompt, RenderedPrompt
from secondhop.stores.records import Topic

MOST_PARTS = 3
"""Most parts of the question that are searched separately."""

MOST_TOPICS = 40
"""Most topics of the memory map that are shown; the biggest."""

KEPT_TOKENS = 1_200
"""Tokens for the names of facts and preferences, and for how to ask for one."""

QUESTION_TOKENS = 1_500
"""Tokens of the question that are shown; a longer one is cut."""

DECOMPOSE_TOKENS = 500
"""Tokens of a reply to `decompose`."""

EXPAND_TOKENS = 1_200
"""Tokens of a reply to `expand`."""

KEPT = "kept"
"""The variable of the `expand` prompt for the names; a prompt may leave it out."""


Issued: TypeAlias = Mapping[str, KeptName]
"""{id of this call: its name}."""


class LLMPlanner:
    """Plans with a language model. Its failures are `ModelError`; the node then goes on without."""

    def __init__(
        self,
        llm: StructuredLLM,
        prompts: Mapping[str, Prompt],
        *,
        planning: PlanningSettings | None = None,
    ) -> None:
        self._llm = llm
        self._decompose, self._expand = prompts["decompose"], prompts["expand"]
        self._planning = planning or PlanningSettings()
        self._tags = tags_for(llm)
        self.prompts = self._decompose, self._expand
        self.planner_id = f"llm:{llm.model_id}:{self._decompose.label}+{self._expand.label}"

    async def decompose(self, request: PlanRequest) -> Plan:
        """Hop 1: the kind of question, rewordings of it, and the things that it names. Raises
        LLMError if the model failed, or no budget is left for it."""
        prompt = self._decompose.render(
            {
                **self._common(request),
                "max_parts": str(MOST_PARTS),
                "max_queries": str(self._planning.rewordings),
            }
        )
        call = self._call(prompt, request, reply_tokens=DECOMPOSE_TOKENS)
        reply, usage = await asked_model(
            self._llm, call, schema=DecomposeReply, read=lambda said: said
        )
        distinct = DistinctQueries([request.question])
        own = distinct.take(reply.rewordings, limit=self._planning.rewordings)
        facets = [PlannedFacet(name="", why="", hop=1, queries=own)] if own else []
        for part in reply.parts[:MOST_PARTS]:
            queries = distinct.take(part.queries or [part.name], limit=self._planning.facet_queries)
            if queries:
                why = "Named in the question."
                facets.append(PlannedFacet(name=part.name, why=why, hop=1, queries=queries))
        return Plan(facets=tuple(facets), kind=reply.question_kind, usage=usage)

    async def expand(self, request: PlanRequest) -> Plan:
        """Hop 2: the facets that the intent implies, most needed first. Raises LLMError if the
        model failed, or no budget is left for it."""
        planning = affordable(self._planning, queries=request.remaining.queries)
        prompt, issued = self._expand_sheet(request, planning)
        call = self._call(prompt, request, reply_tokens=EXPAND_TOKENS)
        schema = ExpandWithKept if issued else ExpandReply
        reply, usage = await asked_model(self._llm, call, schema=schema, read=lambda said: said)
        distinct = DistinctQueries([request.question])
        facets: list[PlannedFacet] = []
        for row in reply.facets:
            queries = distinct.take(row.queries or [row.name], limit=planning.facet_queries)
            if queries and len(facets) < planning.facets:
                facets.append(
                    PlannedFacet(
                        name=title_line(row.name or queries[0], chars=60),
                        why=row.why or "The intent implies it.",
                        hop=2,
                        queries=queries,
                        weight=row.weight,
                    )
                )
        asked = asked_names(reply, issued)
        return Plan(facets=tuple(facets), asked=asked.names, note=asked.note(), usage=usage)

    def _expand_sheet(
        self, request: PlanRequest, planning: PlanningSettings
    ) -> tuple[RenderedPrompt, Issued]:
        """The prompt, with the names of facts and preferences as far as the budget has room."""
        plain = self._expand_filled(request, planning, ())
        room = request.remaining.llm_tokens - prompt_tokens(plain[0])
        most = min(KEPT_TOKENS, room - EXPAND_TOKENS)
        told = request.kept if KEPT in self._expand.variables else ()
        names = fitting_names(told, tokens=most) if told else []
        return self._expand_filled(request, planning, names) if names else plain

    def _expand_filled(
        self, request: PlanRequest, planning: PlanningSettings, kept: Sequence[KeptName]
    ) -> tuple[RenderedPrompt, Issued]:
        topics = [topic_line(topic) for topic in request.topics[:MOST_TOPICS]]
        tag = self._tags.draw([request.question, *topics, *map(line_of, kept)])
        issued = {f"{tag}{number}": one for number, one in enumerate(kept, start=1)}
        values = {
            **self._common(request),
            "topics": "\n".join(topics) or "(nothing is known of it)",
            "fence": tag,
            "max_facets": str(planning.facets),
            "max_queries": str(planning.facet_queries),
        }
        if KEPT in self._expand.variables:
            values[KEPT] = kept_block(issued, tag=tag)
        return self._expand.render(values), issued

    def _common(self, request: PlanRequest) -> dict[str, str]:
        question = truncate_to_tokens(clean(request.question), QUESTION_TOKENS)
        return {
            "question": question,
            "today": f"{request.asked_at:%Y-%m-%d (%A)}",
            "rounds": told_budget(request.recall or request.remaining),
        }

    def _call(
        self, prompt: RenderedPrompt, request: PlanRequest, *, reply_tokens: int
    ) -> ModelCall:
        spent = prompt_tokens(prompt)
        return ModelCall(
            prompt=prompt,
            reply_tokens=affordable_reply(request.remaining, prompt=spent, wanted=reply_tokens),
            left=replace(request.remaining, seconds=request.remaining.seconds * PLANNING_SHARE),
        )


def topic_line(topic: Topic) -> str:
    """A topic of the memory map as a model reads it."""
    titles = "; ".join(f"“{title_line(title, chars=60)}”" for title in topic.titles)
    head = f"- {title_line(topic.label)} ({topic.size})"
    return f"{head}: {titles}" if titles else head


def affordable(planning: PlanningSettings, *, queries: int) -> PlanningSettings:
    """The settings, cut to the queries that a round may ask in addition to the question itself.

    >>> cut = affordable(PlanningSettings(facets=6, facet_queries=3), queries=7)
    >>> cut.facets, cut.facet_queries
    (6, 1)
    """
    room = max(1, queries - 1)
    facets = min(planning.facets, room)
    each = max(1, room // max(1, facets))
    return replace(planning, facets=facets, facet_queries=min(planning.facet_queries, each))


def told_budget(left: Remaining) -> str:
    """What a recall may still spend; it continues "Rounds of search left: " in the prompt."""
    return (
        f"{left.rounds}, of at most {left.queries} searches each; "
        f"model calls left: {left.llm_calls}, with {left.llm_tokens:,} tokens"
    )

"""The critic that asks a language model: one call for the whole shortlist."""

import time
from collections.abc import Mapping
from dataclasses import replace

from secondhop.models.llm import LEAST_REPLY, LLMError, StructuredLLM
from secondhop.nodes.critics.port import CriticRequest, Verdict
from secondhop.nodes.critics.reading_votes import in_places, read_verdict
from secondhop.nodes.critics.sheet import CriticSheet, critic_sheet
from secondhop.nodes.critics.verdict_limits import (
    believes_no_search,
    drops_the_well_founded,
    only_choice,
    without_unfounded_votes,
)
from secondhop.nodes.critics.vote_schema import CritiqueReply
from secondhop.nodes.llm_call import ModelCall, Refused, affordable_reply, asked_model, tags_for
from secondhop.prompts.templates import Prompt
from secondhop.ranking.votes import IN_FAVOUR

PROMPT_TOKENS = 5_700
"""cl100k_base tokens of both messages."""

REPLY_TOKENS = 2_500


class LLMCritic:
    """Votes with a language model. Its failures are `ModelError`; the node then goes on without."""

    def __init__(self, llm: StructuredLLM, prompts: Mapping[str, Prompt]) -> None:
        self._llm = llm
        self._prompt = prompts["critique"]
        self._tags = tags_for(llm)
        self.prompts = (self._prompt,)
        self.critic_id = f"llm:{llm.model_id}:{self._prompt.label}"

    async def judge(self, request: CriticRequest) -> Verdict:
        """The verdict of one call, or of two (`only_choice`); of none without new candidates.

        Raises:
            LLMError: the model failed, voted for nothing it was shown, or no budget is left.
        """
        if not request.candidates:
            return Verdict(ballots=(), content=True)
        if all(view.vote for view in request.candidates):
            return Verdict(ballots=())
        begun = time.monotonic()
        verdict = await self._asked(request)
        alone = only_choice(verdict, request)
        if alone is not None:
            left = request.remaining.after(verdict.usage, seconds=time.monotonic() - begun)
            verdict = await self._asked_without(alone, verdict, replace(request, remaining=left))
        return without_unfounded_votes(verdict, request)

    async def _asked_without(
        self, memory_id: str, verdict: Verdict, request: CriticRequest
    ) -> Verdict:
        """The verdict of a second call without this memory, plus the first ballot on the memory.

        So a memory that talked the model out of all others gains one place, and costs one. If the
        second call fails, the verdict holds only the ballot on this memory.
        """
        others = [view for view in request.candidates if view.memory_id != memory_id]
        own = [ballot for ballot in verdict.ballots if ballot.memory_id == memory_id]
        try:
            again = await self._asked(replace(request, candidates=others))
        except LLMError as error:
            again = Verdict(ballots=(), content=True, usage=error.usage)
        return replace(
            again,
            ballots=tuple(in_places([*again.ballots, *own], request)),
            usage=verdict.usage + again.usage,
        )

    async def _asked(self, request: CriticRequest) -> Verdict:
        """The verdict of one call; its prompt is shorter if few tokens are left."""
        tokens = min(PROMPT_TOKENS, request.remaining.llm_tokens - LEAST_REPLY)
        sheet = critic_sheet(request, self._prompt, tags=self._tags, tokens=tokens)
        call = ModelCall(
            prompt=sheet.prompt,
            reply_tokens=affordable_reply(
                request.remaining, prompt=sheet.tokens, wanted=REPLY_TOKENS
            ),
            left=request.remaining,
        )
        verdict, usage = await asked_model(
            self._llm, call, schema=CritiqueReply, read=lambda said: accepted(said, sheet, request)
        )
        return replace(verdict, usage=usage)


def accepted(reply: CritiqueReply, sheet: CriticSheet, request: CriticRequest) -> Verdict:
    """The verdict of a reply. Raises Refused if it cannot be used."""
    if names_others(reply, sheet):
        raise Refused("voted for no memory that it was shown; try a larger model")
    verdict = read_verdict(reply, sheet, request)
    if only_choice(verdict, request):
        return verdict  # `judge` asks again without this memory
    if believes_no_search(verdict, request):
        raise Refused(
            "chose only memories that have little to do with the question; try a larger model"
        )
    if drops_the_well_founded(verdict, request):
        raise Refused(
            "dropped every memory that searches rank high, in favour of ones they rank low; try a "
            "larger model"
        )
    return verdict


def names_others(reply: CritiqueReply, sheet: CriticSheet) -> bool:
    """Whether none of the ids voted on, or none of those voted for, is on the sheet.

    Then the model has confused the ids, and a missing vote does not mean that it dislikes a memory.
    """
    chosen = [vote for vote in reply.votes if vote.vote in IN_FAVOUR]
    return any(
        not any(sheet.issued(vote.id) for vote in votes)
        for votes in (reply.votes, chosen or reply.votes)
    )

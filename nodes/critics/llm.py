"""The critic with a language model: one call for the whole shortlist."""

from collections.abc import Mapping
from dataclasses import dataclass

from secondhop.models.llm import LEAST_REPLY, StructuredLLM
from secondhop.nodes.critics.port import CriticRequest, Verdict
from secondhop.nodes.critics.quoting import Tags
from secondhop.nodes.critics.reading_votes import read_verdict
from secondhop.nodes.critics.sheet import CriticSheet, critic_sheet
from secondhop.nodes.critics.vote_claims import FOR
from secondhop.nodes.critics.vote_schema import CritiqueReply
from secondhop.nodes.llm_call import ModelCall, affordable_reply, asked_model
from secondhop.nodes.selection.eligibility import LEAST_RELEVANCE
from secondhop.prompts.templates import Prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticBounds:
    """How much a critic reads, writes and picks."""

    prompt_tokens: int = 5_200
    """cl100k_base tokens of both messages."""
    reply_tokens: int = 2_500
    spare_picks: int = 3
    """Hot and warm votes beyond k: selection and later rounds want something to choose from."""


class LLMCritic:
    """Judges with a language model; its failures are `ModelError`, and the node falls back."""

    def __init__(
        self,
        llm: StructuredLLM,
        prompts: Mapping[str, Prompt],
        *,
        bounds: CriticBounds | None = None,
        secret: bytes | None = None,
    ) -> None:
        """`secret`: of the ids of a call; a fixed one makes equal prompts equal."""
        self._llm = llm
        self._prompt = prompts["critique"]
        self._bounds = bounds or CriticBounds()
        self._tags = Tags(secret)

    @property
    def critic_id(self) -> str:
        """The model and the hash of the prompt."""
        return f"llm:{self._llm.model_id}:{self._prompt.label}"

    async def judge(self, request: CriticRequest) -> Verdict:
        """Votes of one call; without candidates there is nothing to ask.

        Raises:
            LLMError: the model failed, voted for nothing it was shown, or no budget is left.
        """
        if not request.candidates:
            empty = tuple(facet["facet_id"] for facet in request.facets)
            return Verdict(ballots=(), empty_facets=empty, content=True)
        sheet = self._sheet(request)
        call = ModelCall(
            prompt=sheet.prompt,
            reply_tokens=affordable_reply(
                request.remaining, prompt=sheet.tokens, wanted=self._bounds.reply_tokens
            ),
            left=request.remaining,
        )
        reply, usage = await asked_model(
            self._llm, call, schema=CritiqueReply, refuse=lambda said: refusal(said, sheet, request)
        )
        return read_verdict(reply, sheet, request, usage=usage)

    def _sheet(self, request: CriticRequest) -> CriticSheet:
        """The prompt; a small rest of the token budget makes it shorter."""
        bounds = self._bounds
        room = request.remaining.llm_tokens - LEAST_REPLY
        return critic_sheet(
            request,
            self._prompt,
            tags=self._tags,
            tokens=min(bounds.prompt_tokens, room),
            spare=bounds.spare_picks,
        )


def refusal(reply: CritiqueReply, sheet: CriticSheet, request: CriticRequest) -> str:
    """Why a verdict cannot be used; "" where it can."""
    if names_others(reply, sheet):
        return "voted for no memory that it was shown; try a larger model"
    if chooses_none_to_believe(reply, sheet, request):
        return (
            "chose only what hardly touches the question, or what tells it how to vote; "
            "try a larger model"
        )
    return ""


def names_others(reply: CritiqueReply, sheet: CriticSheet) -> bool:
    """Whether nothing that was voted on, or nothing that was voted for, is on the sheet.

    Then the model has mistaken the ids, and what it did not vote for is not what it dislikes.
    """
    voted = [vote for vote in reply.votes if vote.vote != "none"]
    chosen = [vote for vote in voted if vote.vote in FOR]
    return any(
        not any(sheet.issued(vote.id) for vote in votes) for votes in (voted, chosen or voted)
    )


def chooses_none_to_believe(
    reply: CritiqueReply, sheet: CriticSheet, request: CriticRequest
) -> bool:
    """Whether everything voted for is distrusted or unlike the question, though better was there.

    So reads a verdict that some stored text has talked the model into.
    """
    ids = {sheet.issued(vote.id) for vote in reply.votes if vote.vote in FOR}
    chosen = [view for view in request.candidates if view.memory_id in ids]
    doubtful = [v for v in chosen if v.memory_id in sheet.distrusted or v.score < LEAST_RELEVANCE]
    if not chosen or len(doubtful) < len(chosen):
        return False
    return any(view not in chosen and view.score >= LEAST_RELEVANCE for view in request.candidates)

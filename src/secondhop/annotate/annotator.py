"""Asks a language model for the cues of one batch, and keeps the valid ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from secondhop.annotate.form import bare_line, fault, role_line
from secondhop.annotate.older import OlderMemory
from secondhop.annotate.parts import MemoryPart
from secondhop.annotate.records import RefusedCue
from secondhop.annotate.schema import AnnotateReply, CuesReply
from secondhop.annotate.sheet import AnnotateSheet, annotate_sheet
from secondhop.models.llm import StructuredLLM, Usage
from secondhop.nodes.budget import Remaining
from secondhop.nodes.llm_call import MODEL_SHARE, ModelCall, Refused, asked_model, tags_for
from secondhop.prompts.templates import Prompt
from secondhop.stores.cues import Breadth

REPLY_FRAME = 800
"""Tokens that a reply may have in addition to its rows, because some models think first."""

REPLY_TOKENS_A_PART = 320
"""The most tokens of one row; usually it takes about 130."""

CALLS = 4
"""Requests for one answer: retries, other modes and a repair together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PartCues:
    """What a model wrote about a part; only its form was checked."""

    specific: Sequence[str] = ()
    broad: Sequence[str] = ()
    role: str = ""
    replaces: Sequence[str] = ()
    """Ids of the memories that it replaces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchCues:
    """What the model wrote about one batch."""

    written: Sequence[tuple[MemoryPart, PartCues]]
    """The cues of each part that the reply names, in order."""
    left_out: Sequence[MemoryPart] = ()
    """The parts that the reply does not name."""
    refused: Sequence[RefusedCue] = ()
    usage: Usage = field(default_factory=Usage)


class Annotator:
    """Writes cues with a language model."""

    def __init__(self, llm: StructuredLLM, prompts: Mapping[str, Prompt]) -> None:
        self._llm = llm
        self._prompt = prompts["annotate"]
        self._tags = tags_for(llm)

    @property
    def model_id(self) -> str:
        """The id of the language model."""
        return self._llm.model_id

    @property
    def prompt_label(self) -> str:
        """Name, version and hash of the prompt."""
        return self._prompt.label

    def sheet(
        self,
        parts: Sequence[MemoryPart],
        *,
        older: Sequence[OlderMemory] = (),
        titles: Sequence[str],
    ) -> AnnotateSheet:
        """The prompt for a batch."""
        return annotate_sheet(parts, older, titles=titles, prompt=self._prompt, tags=self._tags)

    async def write(self, sheet: AnnotateSheet, *, tokens: int, seconds: float) -> BatchCues:
        """The cues of one batch.

        Args:
            tokens: the most that prompts and replies together may cost.

        Raises:
            LLMError: the model failed, or named none of the memories; holds what was spent.
        """
        left = Remaining(
            rounds=0, llm_calls=CALLS, llm_tokens=tokens, seconds=seconds / MODEL_SHARE
        )
        call = ModelCall(
            prompt=sheet.prompt,
            reply_tokens=min(reply_tokens(len(sheet.parts)), max(1, tokens - sheet.tokens)),
            left=left,
        )
        cues, usage = await asked_model(
            self._llm, call, schema=AnnotateReply, read=lambda said: read_reply(said, sheet)
        )
        return replace(cues, usage=usage)


def reply_tokens(parts: int) -> int:
    """The most tokens of the reply about a batch with this many parts."""
    return REPLY_FRAME + REPLY_TOKENS_A_PART * parts


def read_reply(reply: AnnotateReply, sheet: AnnotateSheet) -> BatchCues:
    """The cues of the memories that were shown; if two rows name one part, the first counts.
    Raises Refused if no row names one."""
    rows: dict[tuple[str, int], CuesReply] = {}
    for row in reply.memories:
        part = sheet.part(row.id)
        if part is not None:
            rows.setdefault(part.key, row)
    if not rows:
        raise Refused("named none of the memories that it was shown; try a larger model")
    refused: list[RefusedCue] = []
    written: list[tuple[MemoryPart, PartCues]] = []
    for part in sheet.parts.values():
        found = rows.get(part.key)
        if found is not None:
            written.append((part, cues_of(found, part, sheet, refused)))
    return BatchCues(
        written=written,
        left_out=[part for part in sheet.parts.values() if part.key not in rows],
        refused=refused,
    )


def cues_of(
    row: CuesReply, part: MemoryPart, sheet: AnnotateSheet, refused: list[RefusedCue]
) -> PartCues:
    """The cues of one row; lines that do not have the form of a cue go to `refused`."""

    def sound(texts: Sequence[str], breadth: Breadth) -> list[str]:
        kept: dict[str, str] = {}
        for text in map(bare_line, texts):
            if why := fault(text, breadth, tag=sheet.tag):
                refused.append(RefusedCue(memory_id=part.memory_id, text=text, why=why))
            else:
                kept.setdefault(text.casefold(), text)
        return list(kept.values())

    earlier = (sheet.earlier(call_id, than=part) for call_id in row.replaces)
    return PartCues(
        specific=sound(row.specific, "specific"),
        broad=sound(row.broad, "broad"),
        role=role_line(row.role, tag=sheet.tag),
        replaces=list(dict.fromkeys(filter(None, earlier))),
    )

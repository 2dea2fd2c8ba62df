"""The shortlist as a model reads it: ids of this call, dates, evidence within a token budget."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from secondhop.models.tokens import truncate_to_tokens
from secondhop.nodes.judging import CandidateView, CriticRequest
from secondhop.nodes.quoting import Tags, clean, speaks_to_judge, title_line
from secondhop.nodes.snippets import (
    GAP,
    fair_shares,
    readable,
    snippet,
    telling_words,
    tokens_of,
)
from secondhop.prompts.templates import Prompt, RenderedPrompt

QUESTION_TOKENS = 600
"""Of a longer question the beginning is shown."""

ASKED = 30
"""Searches shown; the latest."""

FACETS = 30
"""Facets shown; the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticSheet:
    """A rendered prompt, and what its ids stand for."""

    prompt: RenderedPrompt
    memory_ids: Mapping[str, str]
    """Id of this call → memory id."""
    distrusted: frozenset[str]
    """Memory ids whose text speaks to the judge: votes for them do not count."""
    tokens: int
    """cl100k_base tokens of both messages."""

    def issued(self, call_id: str) -> str | None:
        """The memory behind an id of this call; None for any other word."""
        word = call_id.strip("<>[]\"'`*. ").casefold()
        return self.memory_ids.get(word.removeprefix("memory ").strip())


def critic_sheet(
    request: CriticRequest, prompt: Prompt, *, tags: Tags, tokens: int, spare: int
) -> CriticSheet:
    """Render a shortlist so that the prompt counts at most `tokens` tokens.

    The frame comes first; what it leaves is shared by the memories' evidence. With less room than
    the frame needs, the memories are there with title and date alone.
    """
    texts = [part for view in request.candidates for part in (view.title, *view.evidence)]
    tag = tags.draw([request.question, *texts])
    ids = {f"{tag}{n}": view.memory_id for n, view in enumerate(request.candidates, start=1)}
    heads = headers(request, ids)
    values = frame_values(request, tag=tag, spare=spare)
    empty = prompt.render({**values, "memories": blocks(heads, [""] * len(heads))})
    room = tokens - token_sum(empty) - 2 * len(heads)
    bodies = evidence_bodies(request, tokens=room)
    rendered = prompt.render({**values, "memories": blocks(heads, bodies)})
    return CriticSheet(
        prompt=rendered,
        memory_ids=ids,
        distrusted=frozenset(v.memory_id for v in request.candidates if is_distrusted(v)),
        tokens=token_sum(rendered),
    )


def frame_values(request: CriticRequest, *, tag: str, spare: int) -> dict[str, str]:
    """Every variable of the prompt but the memories."""
    facets = [
        f"{facet['facet_id']} | {title_line(facet['name'])} | {title_line(facet['why'], chars=160)}"
        for facet in request.facets[:FACETS]
    ]
    return {
        "question": truncate_to_tokens(clean(request.question), QUESTION_TOKENS),
        "kind": request.kind,
        "today": f"{request.asked_at:%Y-%m-%d (%A)}",
        "facets": "\n".join(facets),
        "asked": "\n".join(f"- {title_line(text, chars=120)}" for text in request.asked[-ASKED:]),
        "fence": tag,
        "count": str(len(request.candidates)),
        "k": str(request.k),
        "most": str(request.k + spare),
        "rounds": str(request.remaining.rounds),
    }


def headers(request: CriticRequest, ids: Mapping[str, str]) -> list[tuple[str, str]]:
    """(id, line) for each candidate: date, source, title, and the hints of formulas."""
    call_ids = {memory_id: call_id for call_id, memory_id in ids.items()}
    lines: list[tuple[str, str]] = []
    for view in request.candidates:
        parts = [f"{view.created_at:%Y-%m-%d}", title_line(view.source, chars=20)]
        parts.append(f"“{title_line(view.title)}”")
        said = request.coverage.get(view.memory_id, {})
        teller = max(said, key=lambda other: said[other], default=None)
        if teller in call_ids and said[teller] >= 0.5:
            parts.append(f"repeats? {call_ids[teller]} ({said[teller]:.0%})")
        newer = request.replaced_by.get(view.memory_id)
        if newer in call_ids:
            parts.append(f"replaced? {call_ids[newer]}")
        lines.append((call_ids[view.memory_id], " | ".join(parts)))
    return lines


def blocks(heads: Sequence[tuple[str, str]], bodies: Sequence[str]) -> str:
    """Every memory between two lines that only this call knows."""
    return "\n".join(
        f"<memory {call_id}>\n{head}\n{body}\n</memory {call_id}>"
        for (call_id, head), body in zip(heads, bodies, strict=True)
    )


def evidence_bodies(request: CriticRequest, *, tokens: int) -> list[str]:
    """Evidence of each candidate, all together at most `tokens` tokens."""
    texts = [readable(view.evidence) for view in request.candidates]
    wanted = [sum(map(tokens_of, own)) + 4 * len(own) for own in texts]
    telling = telling_words([request.question, *request.asked])
    shares = fair_shares(wanted, total=tokens)
    return [
        GAP.join(own) if share == want else snippet(own, tokens=share, telling=telling)
        for own, want, share in zip(texts, wanted, shares, strict=True)
    ]


def is_distrusted(view: CandidateView) -> bool:
    """Whether anything that the model could be shown of it speaks to the judge."""
    return any(map(speaks_to_judge, (view.title, view.source, *view.evidence)))


def token_sum(prompt: RenderedPrompt) -> int:
    """cl100k_base tokens of both messages."""
    return tokens_of(prompt.system) + tokens_of(prompt.user)

"""The shortlist as a model reads it: ids of this call, dates, evidence within a token budget."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from secondhop.models.tokens import count_tokens, truncate_to_tokens
from secondhop.nodes.critics.order_hints import HINT, reads_like_order
from secondhop.nodes.critics.port import CandidateView, CriticRequest
from secondhop.nodes.critics.quoting import Tags, clean, title_line
from secondhop.nodes.critics.snippets import (
    GAP,
    PASSAGE_CHARS,
    PASSAGES,
    fair_shares,
    readable,
    snippet,
    telling_words,
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
    tag: str
    """What the ids of this call begin with; it must not leave the call."""
    titles: Mapping[str, str]
    """Id of this call → the title as it was shown."""
    tokens: int
    """cl100k_base tokens of both messages."""

    def issued(self, call_id: str) -> str | None:
        """The memory behind an id of this call; None for any other word."""
        word = call_id.strip("<>[]\"'`*. ").casefold()
        return self.memory_ids.get(word.removeprefix("memory ").strip())

    def in_words(self, text: str) -> str:
        """What a model wrote, with titles where it used ids of this call."""
        if self.tag not in text.casefold():
            return text
        ids = re.compile(rf"{self.tag}\d{{0,4}}", re.I)
        return ids.sub(lambda found: f"“{self.titles.get(found[0].casefold(), '')}”", text)


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
    titles = {
        call_id: title_line(view.title)
        for call_id, view in zip(ids, request.candidates, strict=True)
    }
    heads = headers(request, titles)
    values = frame_values(request, tag=tag, spare=spare)
    empty = prompt.render({**values, "memories": blocks(heads, [""] * len(heads))})
    room = tokens - token_sum(empty) - 2 * len(heads)
    bodies = evidence_bodies(request, tokens=room)
    rendered = prompt.render({**values, "memories": blocks(heads, bodies)})
    return CriticSheet(
        prompt=rendered,
        memory_ids=ids,
        tag=tag,
        titles=titles,
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


def headers(request: CriticRequest, titles: Mapping[str, str]) -> list[tuple[str, str]]:
    """(id, line) for each candidate: date, source, title, and hints."""
    call_ids = {
        view.memory_id: call_id for call_id, view in zip(titles, request.candidates, strict=True)
    }
    lines: list[tuple[str, str]] = []
    for (call_id, title), view in zip(titles.items(), request.candidates, strict=True):
        parts = [f"{view.created_at:%Y-%m-%d}", title_line(view.source, chars=20), f"“{title}”"]
        lines.append((call_id, " | ".join([*parts, *hints(view, request, call_ids)])))
    return lines


def hints(view: CandidateView, request: CriticRequest, call_ids: dict[str, str]) -> Iterator[str]:
    """What formulas suspect of a memory, for the critic to judge."""
    said = request.coverage.get(view.memory_id, {})
    teller = max(said, key=lambda other: said[other], default=None)
    if teller in call_ids and said[teller] >= 0.5:
        yield f"repeats? {call_ids[teller]} ({said[teller]:.0%})"
    newer = request.replaced_by.get(view.memory_id)
    if newer in call_ids:
        yield f"replaced? {call_ids[newer]}"
    if reads_like_order(map(clean, (view.title, view.source, *shown_passages(view)))):
        yield HINT


def blocks(heads: Sequence[tuple[str, str]], bodies: Sequence[str]) -> str:
    """Every memory between two lines that only this call knows."""
    return "\n".join(
        f"<memory {call_id}>\n{head}\n{body}\n</memory {call_id}>"
        for (call_id, head), body in zip(heads, bodies, strict=True)
    )


def evidence_bodies(request: CriticRequest, *, tokens: int) -> list[str]:
    """Evidence of each candidate, all together at most `tokens` tokens."""
    texts = [readable(view.evidence) for view in request.candidates]
    wanted = [sum(map(count_tokens, own)) + 4 * len(own) for own in texts]
    telling = telling_words([request.question, *request.asked])
    shares = fair_shares(wanted, total=tokens)
    return [
        GAP.join(own) if share == want else snippet(own, tokens=share, telling=telling)
        for own, want, share in zip(texts, wanted, shares, strict=True)
    ]


def shown_passages(view: CandidateView) -> list[str]:
    """What the critic may read from."""
    return [text[:PASSAGE_CHARS] for text in view.evidence[:PASSAGES]]


def token_sum(prompt: RenderedPrompt) -> int:
    """cl100k_base tokens of both messages."""
    return count_tokens(prompt.system) + count_tokens(prompt.user)

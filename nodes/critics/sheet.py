"""Renders the shortlist as a prompt: ids made for the call, dates, texts within a token budget."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from secondhop.models.tokens import prompt_tokens, truncate_to_tokens
from secondhop.nodes.critics.excerpts import excerpts, telling_words
from secondhop.nodes.critics.order_hints import HINT, reads_like_order
from secondhop.nodes.critics.port import CandidateView, CriticRequest
from secondhop.nodes.state import Vote
from secondhop.prompts.quoting import Tags, clean, plain_id, title_line
from secondhop.prompts.templates import Prompt, RenderedPrompt
from secondhop.stores.titles import first_words

QUESTION_TOKENS = 600
"""Tokens of the question that are shown; a longer one is cut."""

ASKED = 30
"""Most queries shown; the latest."""

FACETS = 30
"""Most facets shown; the first."""

VOTED = """\
Voted on in earlier rounds (id | date | title | vote). These votes stand unless you vote again. \
Name again those that belong in the answer, so that old and new stand in one order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticSheet:
    """A rendered prompt, and what its ids stand for."""

    prompt: RenderedPrompt
    memory_ids: Mapping[str, str]
    """{id of this call: memory id}."""
    tag: str
    """The prefix of the ids of this call; it must not appear outside the call."""
    titles: Mapping[str, str]
    """{id of this call: the title as shown}."""
    tokens: int
    """cl100k_base tokens of both messages."""

    def issued(self, call_id: str) -> str | None:
        """The memory id for an id of this call; None for any other text."""
        return self.memory_ids.get(plain_id(call_id))

    def in_words(self, text: str) -> str:
        """A model's text, with ids of this call replaced by titles."""
        if self.tag not in text.casefold():
            return text
        ids = re.compile(rf"{self.tag}\d{{0,4}}", re.I)
        return ids.sub(lambda found: f"“{self.titles.get(found[0].casefold(), '')}”", text)


def critic_sheet(request: CriticRequest, prompt: Prompt, *, tags: Tags, tokens: int) -> CriticSheet:
    """Render a shortlist into a prompt of at most `tokens` tokens.

    The frame and the heads of the memories are always there; the texts share what is left. If
    nothing is left, the prompt may be longer than `tokens`, and memories have no text.
    """
    views = request.candidates
    stored = [part for view in views for part in (view.title, view.text, reason_of(view.vote))]
    tag = tags.draw([request.question, *stored])
    ids = {view.memory_id: f"{tag}{n}" for n, view in enumerate(views, start=1)}
    heads = [head(view, ids) for view in views]
    values = frame_values(request, tag=tag)
    nothing = [""] * len(heads)
    empty = prompt.render({**values, "memories": memories(views, ids, heads, nothing, tag=tag)})
    room = tokens - prompt_tokens(empty) - len(heads)  # a text may add one token to its frame
    asked = telling_words([request.question, *request.asked])
    telling = [{**asked, **telling_words([view.role])} for view in views]
    texts = ["" if view.vote else view.text for view in views]
    bodies = excerpts(texts, tokens=room, telling=telling)
    rendered = prompt.render({**values, "memories": memories(views, ids, heads, bodies, tag=tag)})
    return CriticSheet(
        prompt=rendered,
        memory_ids={call_id: memory_id for memory_id, call_id in ids.items()},
        tag=tag,
        titles={ids[view.memory_id]: title_line(view.title) for view in views},
        tokens=prompt_tokens(rendered),
    )


def frame_values(request: CriticRequest, *, tag: str) -> dict[str, str]:
    """All variables of the prompt except the memories."""
    facets = [
        f"{facet['facet_id']} | {title_line(facet['name'])} | {title_line(facet['why'], chars=160)}"
        for facet in request.facets[:FACETS]
    ]
    asked = [f"- {title_line(text, chars=120)}" for text in request.asked[-ASKED:]]
    return {
        "question": truncate_to_tokens(clean(request.question), QUESTION_TOKENS),
        "kind": request.kind,
        "today": f"{request.asked_at:%Y-%m-%d (%A)}",
        "facets": "\n".join(facets),
        "asked": "\n".join(asked) or "(none)",
        "fence": tag,
        "count": str(len(request.candidates)),
        "k": str(request.k),
        "rounds": str(request.remaining.rounds),
    }


def head(view: CandidateView, ids: Mapping[str, str]) -> str:
    """The line above a memory's text: date, source, title, and hints."""
    parts = [f"{view.created_at:%Y-%m-%d}", title_line(view.source, chars=20)]
    title = "" if view.title == first_words(view.text) else title_line(view.title)  # said below
    return " | ".join([*parts, f"“{title}”", *hints(view, ids)])


def hints(view: CandidateView, ids: Mapping[str, str]) -> Iterator[str]:
    """Hints about a memory: notes from its annotation, a possible repetition, a possible order."""
    if view.role:
        yield title_line(view.role, chars=40)
    if view.replaced_by and view.replaced_at:
        newer = ids.get(view.replaced_by, "a memory that is not shown")
        yield f"noted as replaced by {newer}, {view.replaced_at:%Y-%m-%d}"
    if view.repeats in ids:
        yield f"repeats? {ids[view.repeats]}"
    if reads_like_order(map(clean, (view.title, view.source, view.role, view.text))):
        yield HINT


def memories(
    views: Sequence[CandidateView],
    ids: Mapping[str, str],
    heads: Sequence[str],
    bodies: Sequence[str],
    *,
    tag: str,
) -> str:
    """The new memories, each between two tags made for this call; then those that were voted on in
    earlier rounds, one line each."""
    new: list[str] = []
    voted: list[str] = []
    for view, line, body in zip(views, heads, bodies, strict=True):
        call_id = ids[view.memory_id]
        if view.vote:
            voted.append(voted_line(view, view.vote, call_id))
        else:
            new.append(f"<memory {call_id}>\n{line}\n{body}\n</memory {call_id}>")
    if voted:
        new += ["", VOTED, f"<voted {tag}>", *voted, f"</voted {tag}>"]
    return "\n".join(new)


def voted_line(view: CandidateView, vote: Vote, call_id: str) -> str:
    """A memory that was voted on before, with that vote."""
    reason = title_line(reason_of(vote), chars=80)
    by = "" if vote["by"] == "critic" else f" by the {vote['by']}"
    said = f"{vote['vote']}{by}: {reason}" if reason else f"{vote['vote']}{by}"
    return f"{call_id} | {view.created_at:%Y-%m-%d} | “{title_line(view.title)}” | {said}"


def reason_of(vote: Vote | None) -> str:
    """The reason of a vote; "" if there is no vote or no reason."""
    return vote["reason"] if vote else ""

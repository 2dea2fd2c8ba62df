"""The prompt for a conversation: messages under ids made for this call, dates, known things."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from secondhop.models.tokens import count_tokens, prompt_tokens, truncate_to_tokens
from secondhop.observe.port import SPEAKER, Turn
from secondhop.prompts.quoting import Tags, plain_id, quoted, title_line
from secondhop.prompts.templates import Prompt, RenderedPrompt
from secondhop.stores.records import Memory

MESSAGE_TOKENS = 1_500
"""How much of a user's message is shown; a longer one was mostly pasted."""

LEFT_OUT = "…"
"""Stands for a message that is neither the user's nor the assistant's."""

CONTEXT_TOKENS = 250
"""How much of an assistant's message is shown; it is only context."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObserveSheet:
    """A rendered prompt, and what its ids stand for."""

    prompt: RenderedPrompt
    turns: Sequence[Turn]
    places: Mapping[str, int]
    """{id made for this call: index of the turn}."""
    known: Mapping[str, Memory]
    """{id made for this call: known fact or preference}."""
    tag: str
    """The prefix of the ids; it must not leave the call."""
    tokens: int

    def place(self, call_id: str) -> int | None:
        """The index of the turn behind an id of this call; None for anything else."""
        return self.places.get(plain_id(call_id))


def observe_sheet(
    turns: Sequence[Turn],
    known: Sequence[Memory],
    prompt: Prompt,
    *,
    tags: Tags,
    today: datetime,
) -> ObserveSheet:
    """Render a conversation, each message quoted between tags of this call.

    The model uses the names in `known` again, and says which of them have ended: current facts and
    preferences, the nearest first.
    """
    names = [part for one in known for part in (one.subject, one.attribute, one.text)]
    tag = tags.draw([*(turn.content for turn in turns), *names])
    ids = {f"{tag}{place}": place - 1 for place in range(1, len(turns) + 1)}
    listed = {f"{tag}k{place}": one for place, one in enumerate(known, start=1)}
    blocks = [block(call_id, turns[place]) for call_id, place in ids.items()]
    rendered = prompt.render(
        {
            "today": f"{today:%Y-%m-%d (%A)}",
            "known": "\n".join(map(known_line, listed, known)) or "(none yet)",
            "messages": "\n".join(blocks),
            "fence": tag,
            "count": str(len(blocks)),
        }
    )
    tokens = prompt_tokens(rendered)
    return ObserveSheet(
        prompt=rendered, turns=turns, places=ids, known=listed, tag=tag, tokens=tokens
    )


def block(call_id: str, turn: Turn) -> str:
    """One message, with a head line, between tags with its id."""
    head = f"{title_line(turn.role, chars=20)} | {turn.at:%Y-%m-%d}"
    return f"<message {call_id}>\n{head}\n{shown(turn)}\n</message {call_id}>"


def shown(turn: Turn) -> str:
    """The part of a message that a model is shown."""
    if turn.role not in (SPEAKER, "assistant"):
        return LEFT_OUT  # instructions and tool output do not help to understand the user
    limit = MESSAGE_TOKENS if turn.role == SPEAKER else CONTEXT_TOKENS
    return quoted(truncate_to_tokens(turn.content, limit))


def known_line(call_id: str, one: Memory) -> str:
    """One known thing on one line; each stored text is cut and cleaned by `title_line`."""
    if one.kind == "preferential":
        parts = ["preference", one.subject, one.scope, one.text]
    else:
        parts = ["fact", one.subject, one.attribute, one.value]
    return " | ".join([call_id, *(title_line(part, chars=60) for part in parts)])


def sizes(turns: Sequence[Turn]) -> list[int]:
    """Tokens of each turn on a sheet, with its frame."""
    return [count_tokens(shown(turn)) + 40 for turn in turns]

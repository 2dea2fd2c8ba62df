"""The prompt for a batch: quoted texts under ids made for this call, with older memories."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from secondhop.annotate.older import OlderMemory
from secondhop.annotate.parts import MemoryPart
from secondhop.models.tokens import prompt_tokens, truncate_to_tokens
from secondhop.prompts.quoting import Tags, plain_id, quoted, title_line
from secondhop.prompts.templates import Prompt, RenderedPrompt
from secondhop.stores.cues import MOST_CUES
from secondhop.stores.entity_store import EntityStore

OPENING_TOKENS = 55
"""How much of an older memory is shown."""

TITLES = 16
"""How many titles of the memory map are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotateSheet:
    """A rendered prompt, and what its ids stand for."""

    prompt: RenderedPrompt
    parts: Mapping[str, MemoryPart]
    """{id made for this call: part}, in order."""
    older: Mapping[str, OlderMemory]
    """{id made for this call: older memory}."""
    tag: str
    """The prefix of the ids; it must not leave the call."""
    tokens: int

    def part(self, call_id: str) -> MemoryPart | None:
        """The part behind an id of this call; None for anything else."""
        return self.parts.get(plain_id(call_id))

    def earlier(self, call_id: str, *, than: MemoryPart) -> str:
        """The memory id behind a call id, if it was shown before the part `than`; else ""."""
        name = plain_id(call_id)
        if name in self.older:
            return self.older[name].memory_id
        ids = list(self.parts)
        own = next((known for known, part in self.parts.items() if part is than), "")
        if name not in self.parts or ids.index(name) >= ids.index(own):
            return ""
        found = self.parts[name].memory_id
        return found if found != than.memory_id else ""


async def map_titles(store: EntityStore) -> list[str]:
    """The memory map: one title per topic."""
    return [title for topic in await store.topics() for title in topic.titles[:1]]


def annotate_sheet(
    parts: Sequence[MemoryPart],
    older: Sequence[OlderMemory],
    *,
    titles: Sequence[str],
    prompt: Prompt,
    tags: Tags,
) -> AnnotateSheet:
    """Render a batch, each memory quoted between tags of this call.

    Args:
        parts: sorted by date.
        older: sorted by date.
        titles: the memory map, one title per topic.
    """
    shown = [text for part in parts for text in (part.memory.title, part.text)]
    shown += [text for one in older for text in (one.title, one.opening, *one.broad)]
    tag = tags.draw([*shown, *titles])  # it occurs in no stored text of the prompt
    earlier = {f"{tag}{n}": one for n, one in enumerate(older, start=1)}
    read = {f"{tag}{n}": one for n, one in enumerate(parts, start=len(older) + 1)}
    rendered = prompt.render(
        {
            "map": "\n".join(f"- {title_line(t)}" for t in titles[:TITLES]) or "(none)",
            "older": "\n".join(older_block(i, one) for i, one in earlier.items()) or "(none)",
            "memories": "\n".join(part_block(i, one) for i, one in read.items()),
            "fence": tag,
            "count": str(len(read)),
        }
    )
    tokens = prompt_tokens(rendered)
    return AnnotateSheet(prompt=rendered, parts=read, older=earlier, tag=tag, tokens=tokens)


def part_block(call_id: str, part: MemoryPart) -> str:
    """One memory, or a part of one, between tags with its id."""
    memory = part.memory
    head = [f"{memory.created_at:%Y-%m-%d}", title_line(memory.source, chars=20)]
    head.append(f"“{title_line(memory.title)}”")
    if part.of > 1:
        head.append(f"part {part.number} of {part.of}")
    return block(call_id, head, quoted(part.text))


def older_block(call_id: str, older: OlderMemory) -> str:
    """The beginning of an older memory, with its role and broad cues."""
    head = [f"{older.created_at:%Y-%m-%d}", f"“{title_line(older.title, chars=60)}”"]
    head += [title_line(older.role, chars=40)] if older.role else []
    noted = [title_line(cue, chars=60) for cue in older.broad[: MOST_CUES["broad"]]]
    head += [f"noted: {'; '.join(noted)}"] if noted else []
    shown = " ".join(quoted(truncate_to_tokens(older.opening, OPENING_TOKENS)).split())
    return block(call_id, head, shown)


def block(call_id: str, head: Sequence[str], body: str) -> str:
    """Quoted text with a head line, between tags with the call id."""
    return f"<memory {call_id}>\n{' | '.join(head)}\n{body}\n</memory {call_id}>"

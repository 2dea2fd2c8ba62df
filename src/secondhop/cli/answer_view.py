"""Prints a recall's answer: the memories and why, the nearest miss, and the cost."""

from collections.abc import Sequence
from datetime import datetime

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from secondhop.cli.cost_view import cost_text, duration
from secondhop.cli.terminal import clean, shorten
from secondhop.graph.result import NearMiss, RecalledMemory, RecalledPreference, RecallResult
from secondhop.headings import without_heading_signs
from secondhop.ingest.reading import is_named
from secondhop.ingest.split_text import sentences
from secondhop.nodes.dispatch import UNMATCHED
from secondhop.nodes.pick import NOT_NEAR
from secondhop.ranking.stop_words import STOP_WORDS
from secondhop.ranking.words import words
from secondhop.wording import as_typed, causes_once, counted

SNIPPET = 60
"""Most characters of a passage that is shown in place of a title or a reason."""

WIDE = 100
"""From this many columns on, ids are shown."""


def show_answer(
    result: RecallResult,
    console: Console,
    *,
    place: str = "",
    brief: bool = False,
    as_of: datetime | None = None,
) -> None:
    """Print the memories, the nearest miss, what the recall cost, and what to type next.

    Args:
        place: options that the next command needs to open the same store.
        brief: leave out what to type next, because the store is temporary.
        as_of: the moment that the question was about, if one was given.
    """
    if not result.memories:
        console.print(empty_answer(result, as_of=as_of), style="bold")
    near = result.maybe[:1]
    whys = [reason(memory, result.question) for memory in result.memories] + [""] * len(near)
    lines = lines_of([*result.memories, *near], whys, width=console.width)
    for slot, memory in enumerate(result.memories, start=1):
        console.print(f"{slot}. ", lines[slot - 1], sep="")
        for warning in warnings(memory):
            console.print(f"   {warning}", style="yellow")
    if result.memories and not brief:
        console.print()
    for preference in result.preferences:
        show_preference(preference, console)
    for missed, line in zip(near, lines[len(result.memories) :], strict=True):
        console.print("–  ", line, why_missed(missed, of=len(result.maybe)), sep="")
    for cause in causes_once([one for one in result.degraded if UNMATCHED not in one]):
        console.print(f"degraded: {clean(cause)}", style="yellow")
    if result.stop_reason == "deadline" and result.memories:
        console.print("Time ran out; a longer --deadline may find more.", style="yellow")
    spent = result.spent
    queries = counted(spent.queries, "query")
    cost = f"effort {result.effort}: {cost_text(spent)}, {queries}, {duration(spent.ms)}"
    console.print(cost, style="dim")
    if not brief:
        console.print(next_step(result, place=place), style="dim", soft_wrap=True)


def lines_of(memories: Sequence[RecalledMemory], whys: Sequence[str], *, width: int) -> list[Text]:
    """One line per memory: title, date, id (if there is room) and why, truncated to `width`."""
    titles = equally_wide([shorten(called(one), min(2 * SNIPPET, width // 3)) for one in memories])
    ids = equally_wide([clean(one.id) for one in memories])
    lines: list[Text] = []
    for memory, title, memory_id, why in zip(memories, titles, ids, whys, strict=True):
        line = Text.assemble((title, "bold"), f"  {memory.created_at:%Y-%m-%d}  ")
        if width >= WIDE:
            line.append(f"{memory_id}  ", style="dim")
        line.append(why)
        line.truncate(width - 4, overflow="ellipsis")
        if memory.weak:
            line.stylize("dim")
        lines.append(line)
    return lines


def equally_wide(texts: Sequence[str]) -> list[str]:
    """The texts padded to the same number of columns; wide characters count as two."""
    widest = max(map(cell_len, texts), default=0)
    return [set_cell_size(text, widest) for text in texts]


def warnings(memory: RecalledMemory) -> list[str]:
    """That it no longer holds, or that it contradicts another memory that also holds."""
    ended = [f"no longer valid: {clean(memory.stale)}"] if memory.stale else []
    return ended + [
        f"undecided, because this is also valid: {clean(other.value)} "
        f"({other.created_at:%Y-%m-%d}, {clean(other.id)})"
        for other in memory.conflicts_with
    ]


def called(memory: RecalledMemory) -> str:
    """Its title, or else the first words of its best passage, or else its id."""
    if is_named(memory.title):
        return shorten(memory.title, 2 * SNIPPET)
    return snippet(memory) or clean(memory.title or memory.id)


def snippet(memory: RecalledMemory, question: str = "") -> str:
    """Its best passage in quotes, from the first sentence on that has most words of the question;
    "" without evidence."""
    if not memory.evidence:
        return ""
    asked = set(words(question)) - STOP_WORDS
    said = [one for _, one in sentences(without_heading_signs(memory.evidence[0].text))]
    shared = [len(asked.intersection(words(one))) for one in said]
    start = shared.index(max(shared, default=0)) if said else 0
    return f"“{shorten(' '.join(said[start:]), SNIPPET)}”"


def reason(memory: RecalledMemory, question: str) -> str:
    """Its role, and the cue, facet or words that found it."""
    why = clean(memory.why).rstrip(".")
    quote = snippet(memory, question)
    if "“" not in why and quote and called(memory).strip("“”") not in quote:
        why = f"{why}: {quote}"
    why = why[:1].lower() + why[1:]
    if memory.role:
        return f"{clean(memory.role)}, {why.removeprefix('stored ')}"
    return why


def show_preference(preference: RecalledPreference, console: Console) -> None:
    """Print one line; an expired or replaced preference says so."""
    line = f"preference ({clean(preference.scope)}): {clean(preference.text)}"
    ended = f" [{clean(preference.stale)}]" if preference.stale else ""
    console.print(line + ended, style="dim" if ended else None)


def empty_answer(result: RecallResult, *, as_of: datetime | None = None) -> str:
    """Why no memory was returned, as far as the result shows, and what would help."""
    if any(UNMATCHED in cause for cause in result.degraded):
        return f"{UNMATCHED[:1].upper()}{UNMATCHED[1:]}."
    needs = [near.tokens for near in result.maybe if near.tokens is not None]
    if needs:
        found = counted(len(needs), "memory was", "memories were")
        least = min(needs)
        return (
            f"Nothing fits into that few tokens: {found} found, and the shortest of their passages "
            f"takes {least}; ask with --tokens {least} or more."
        )
    if result.stop_reason == "deadline":
        searched = "an answer was found" if result.spent.queries else "anything was searched"
        return f"Time ran out before {searched}; a longer --deadline helps."
    if any(NOT_NEAR in near.cut_by for near in result.maybe):
        return (
            "Nothing stored is near enough to the question. Name what it is about, in "
            "words that were stored."
        )
    by_then = f"that was stored by {as_of:%Y-%m-%d}" if as_of else "stored"
    return f"Nothing {by_then} answers that."


def why_missed(near: NearMiss, *, of: int) -> str:
    """Why the nearest miss was not returned."""
    if near.tokens is None:
        why = clean(near.cut_by).partition(": ")[2] or clean(near.cut_by)
    else:
        why = f"no room, takes {counted(near.tokens, 'token')}"
    return f"not returned: {why}" + (f" (the nearest of {of} that came close)" if of > 1 else "")


def next_step(result: RecallResult, *, place: str) -> str:
    """The command that shows why a memory came back or did not."""
    example = (result.maybe or result.memories)[:1]
    if not example:
        return "what was searched, and for what: the same command with --trace"
    command = as_typed("explain", result.trace_id, clean(example[0].id))
    return f"why, or why not: {command}{place}"

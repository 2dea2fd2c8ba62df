"""A round of a session, for people: numbers to vote by, and why each memory is there."""

from collections.abc import Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING

from secondhop.cli.answer_view import show_preference
from secondhop.cli.terminal import clean, shorten
from secondhop.graph.result import RecalledMemory
from secondhop.graph.session_result import AnswerChange, SessionAnswer, SupersessionProposal
from secondhop.headings import without_heading_signs
from secondhop.wording import causes_once

if TYPE_CHECKING:
    from rich.console import Console

HELP = "vote: 1h hot  1w warm  1c cold  1x wrong  1s spark; 1? why; n next round  r resolve  q quit"
SNIPPET = 120
"""Characters of the one passage shown for a memory."""


def show_round(
    answer: SessionAnswer, console: "Console", *, titles: Mapping[str, str], place: str = ""
) -> None:
    """What changed, numbered memories, those of the branches, what else there is, the keys.

    Args:
        titles: {memory id: title} of all that was shown before.
        place: options that a next command needs to find the same memory.
    """
    left = f"{answer.rounds_left} left" if answer.rounds_left else "the last"
    console.print(f"Round {answer.round} ({left}): {clean(answer.why)}", style="bold")
    known = {**titles, **titles_of(answer)}
    for change in answer.changes:
        console.print(change_line(change, known), style="dim")
    number = 0
    for memory in answer.memories:
        show_line(memory, console, number=(number := number + 1))
    for branch in answer.branches:
        console.print(f'"{shorten(branch.title, 60)}" led to:', style="cyan")
        for memory in branch.memories:
            show_line(memory, console, number=(number := number + 1))
    for preference in answer.preferences:
        show_preference(preference, console)
    show_proposals(answer.proposals, console, titles=known, place=place)
    for reason in causes_once(answer.degraded):
        console.print(f"done without: {clean(reason)}", style="yellow")
    console.print(HELP, style="dim")


def titles_of(answer: SessionAnswer) -> dict[str, str]:
    """{memory id: title} of all that the answer shows."""
    branched = [memory for branch in answer.branches for memory in branch.memories]
    named = {branch.sparked_by: branch.title for branch in answer.branches}
    return named | {memory.id: memory.title for memory in (*answer.memories, *branched)}


def change_line(change: AnswerChange, titles: Mapping[str, str]) -> str:
    """What came or left, why, and the votes that did it."""
    votes = [
        f"{vote.vote} on {named(vote.memory_id, titles)} by the {vote.by}"
        for vote in (*change.because, *change.critic)
    ]
    because = f" ({', '.join(votes)})" if votes else ""
    sign = "+" if change.change == "came" else "-"
    return f"  {sign} {named(change.memory_id, titles)}: {clean(change.why)}{because}"


def show_proposals(
    proposals: Sequence[SupersessionProposal],
    console: "Console",
    *,
    titles: Mapping[str, str],
    place: str = "",
) -> None:
    """What wrong votes propose; where something newer is seen, the command that makes it so."""
    for one in proposals:
        wrong = f"voted wrong: {named(one.memory_id, titles)}"
        if one.replaced_by is None:
            console.print(f"{wrong}. {clean(one.why)}", style="yellow")
            continue
        newer = named(one.replaced_by, titles)
        console.print(f"{wrong}; in its place {newer}? {clean(one.why)}", style="yellow")
        old, new = quote(clean(one.memory_id)), quote(clean(one.replaced_by))
        ids = f"{old} --replaced-by {new}"
        console.print(f"   nothing is written; to do it: secondhop update {ids}{place}")


def named(memory_id: str, titles: Mapping[str, str]) -> str:
    """Its title in quotes, else its id."""
    title = shorten(titles.get(memory_id, ""), 60)
    return f'"{title}"' if title else clean(memory_id)


def show_line(memory: RecalledMemory, console: "Console", *, number: int) -> None:
    """One memory and its best passage."""
    vote = f" [{memory.vote}]" if memory.vote else ""
    console.print(f"{number:2}. {titled(memory)} ({memory.created_at:%Y-%m-%d}){vote}")
    if memory.evidence:
        said = shorten(without_heading_signs(memory.evidence[0].text), SNIPPET)
        console.print(f'    "{said}"', style="dim")


def show_why(memory: RecalledMemory, console: "Console", *, number: int) -> None:
    """The reason, the facets, and all of its evidence."""
    console.print(f"{number}. {titled(memory)} [{clean(memory.id)}]: {clean(memory.why)}")
    console.print(f"    for: {', '.join(clean(name) for name in memory.facets)}", style="cyan")
    for passage in memory.evidence:
        console.print(f'    "{clean(without_heading_signs(passage.text))}"', style="dim")


def titled(memory: RecalledMemory) -> str:
    """Its title, else its id."""
    return shorten(memory.title, 80) or clean(memory.id)

"""The demo on a screen: the answers slot by slot, then the trace."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from secondhop.cli.demo import OURS, OUT_OF_DATE, PLAIN, REPEATED, WITH_CUES, Comparison
from secondhop.cli.terminal import TABLE_WIDTH, clean, shorten
from secondhop.cli.trace_tree import trace_tree
from secondhop.wording import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text


SHORT = {PLAIN: "plain", OURS: "secondhop", WITH_CUES: "with cues"}
"""Names for narrow columns, and for `--json`."""


def show_comparison(comparison: Comparison, console: "Console") -> None:
    """Print the answers side by side, the facets each serves, and the trace."""
    console.print(clean(comparison.question.query), style="bold")
    console.print(
        "The same memory, the same vectors, the same number of slots. In brackets: what a good "
        "answer needs, by hand-made labels.",
        style="dim",
    )
    if WITH_CUES in comparison.answers:
        console.print(
            "A large model wrote the cues beforehand; it saw the memories and no question.",
            style="dim",
        )
    console.print()
    console.print(slots_table(comparison), width=min(console.width, TABLE_WIDTH))
    console.print()
    console.print(facets_table(comparison))
    console.print()
    console.print(trace_tree(comparison.trace))
    result = comparison.result
    console.print()
    facets = counted(len(result.facets), "facet")
    queries = counted(result.spent.queries, "query")
    console.print(f"{facets}, {queries}, {result.spent.ms:.0f} ms; no language model, no API key.")


def slots_table(comparison: Comparison) -> "Table":
    """One row a slot: what each answer put there."""
    from rich.table import Table

    table = Table(expand=True, pad_edge=False, box=None, padding=(0, 1, 0, 0))
    table.add_column("#", width=2)
    for name in comparison.answers:
        table.add_column(name, ratio=1)
    for slot in range(max(map(len, comparison.answers.values()))):
        cells = (slot_text(ranked, slot, comparison) for ranked in comparison.answers.values())
        table.add_row(str(slot + 1), *cells)
    return table


def slot_text(ranked: Sequence[str], slot: int, comparison: Comparison) -> "Text":
    """Title of the memory in that slot, and what the labels say that it brings."""
    from rich.text import Text

    if slot >= len(ranked):
        return Text("-")
    memory_id = ranked[slot]
    title = shorten(comparison.titles[memory_id], 70) or clean(memory_id)
    brings = comparison.brings(ranked, slot)
    helps = bool(comparison.served(memory_id)) and brings not in (OUT_OF_DATE, REPEATED)
    return Text.assemble(title, (f" [{clean(brings)}]", "green" if helps else "red"))


def facets_table(comparison: Comparison) -> "Table":
    """Which labelled facets each answer serves."""
    from rich.table import Table
    from rich.text import Text

    served = [comparison.facets_served(ranked) for ranked in comparison.answers.values()]
    total = len(comparison.question.facets)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("what a good answer needs")
    for name in comparison.answers:
        table.add_column(SHORT[name])
    for facet in comparison.question.facets:
        marks = (Text("yes", "green") if facet.name in own else "-" for own in served)
        table.add_row(Text(clean(facet.name)), *marks)
    table.add_row("facets served", *(f"{len(own)} of {total}" for own in served), style="bold")
    return table


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """For `--json`."""
    sides = {
        SHORT[name].replace(" ", "_"): side_document(ids, comparison)
        for name, ids in comparison.answers.items()
    }
    return {
        "question": comparison.question.query,
        "facets": [facet.name for facet in comparison.question.facets],
        **sides,
        "trace_id": comparison.result.trace_id,
    }


def side_document(ranked: list[str], comparison: Comparison) -> dict[str, Any]:
    """One answer: its memories with the facets they serve, and the facets it serves in all."""
    memories = [
        {"id": one, "title": comparison.titles[one], "facets": comparison.served(one)}
        for one in ranked
    ]
    return {"memories": memories, "facets_served": comparison.facets_served(ranked)}

"""A trial of two prompts, for people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from secondhop.cli.comparison_view import SURE, differences_table
from secondhop.cli.cost_view import money
from secondhop.cli.eval_view import HEADINGS
from secondhop.cli.terminal import clean, shorten
from secondhop.evals.answers import Answer, WrittenQuery
from secondhop.evals.trial_report import (
    Pair,
    TrialReport,
    degraded_recalls,
    other_queries,
    shown_measures,
    sides,
    total_spent,
)
from secondhop.wording import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

QUERIES_SHOWN = 8
"""A side of a question; `--json` has them all."""

STYLES = {"won": "green", "lost": "red", "tied": "dim"}


def show_trial(report: TrialReport, console: "Console") -> None:
    """Print who was compared, the measures, what it cost, and every question that changed."""
    for role, prompt in zip(("against", "variant"), report.prompts, strict=True):
        console.print(f"{role}: {prompt.label}, {clean(prompt.path)}", soft_wrap=True)
    if report.prompts[0].sha256 == report.prompts[1].sha256:
        console.print("The two files are the same.", style="yellow")
    console.print(f"model: {clean(report.model)}", soft_wrap=True)
    console.print()
    asked, verdicts = len(report.labelled()), report.verdicts()
    if asked:
        rows = ((HEADINGS.get(row.measure, row.measure), row) for row in report.rows())
        console.print(differences_table("ours: the variant", rows))
        console.print("diff: with its 95 % interval; p: randomisation test", style="dim")
        console.print(f"bold: p below {SURE}; judge one measure, chosen before", style="dim")
        if report.is_small:
            told = "So few questions say little, and their intervals are too narrow: trust p."
            console.print(told, style="yellow")
        console.print()
    won, lost, tied = verdicts["won"], verdicts["lost"], verdicts["tied"]
    questions = counted(asked, "question")
    console.print(f"{questions}: {won} won, {lost} lost, {tied} tied", style="bold")
    show_costs(report, console)
    for pair in report.changed():
        console.print()
        show_pair(pair, console)


def show_costs(report: TrialReport, console: "Console") -> None:
    """The unanswerable questions, the model's calls, and what did not work."""
    asked, before, after = report.wrongly_answered()
    if asked:
        console.print(f"unanswerable questions answered: {before} → {after} of {asked}")
    counts = report.counts
    total = sum(one.asked for one in counts)
    cached = sum(one.from_cache for one in counts)
    paid = counts[0].paid + counts[1].paid
    dollars = f", {money(report.dollars(paid))}" if report.price else ""
    told = f"model: asked {total}, from cache {cached}; paid now {paid.tokens:,} tokens{dollars}"
    console.print(told)
    old, new = (cost_of(outcomes) for outcomes in sides(report.pairs))
    console.print(f"a recall costs {old} → {new}" if old != new else f"a recall costs {old}")
    for role, outcomes in zip(("against", "variant"), sides(report.pairs), strict=True):
        if failed := degraded_recalls(outcomes):
            reason = next(one.degraded[0] for one in outcomes if one.degraded)
            told = f"{role}: {failed} of {len(outcomes)} recalls had to do without: {reason}"
            console.print(clean(told), style="yellow")


def cost_of(outcomes: Sequence[Answer]) -> str:
    """Calls, tokens and dollars of the mean recall."""
    spent, recalls = total_spent(outcomes), len(outcomes)
    tokens = (spent.prompt_tokens + spent.completion_tokens) / recalls
    dollars = "" if spent.cost_usd is None else f", {money(spent.cost_usd / recalls)}"
    return f"{spent.llm_calls / recalls:.1f} calls, {tokens:,.0f} tokens{dollars}"


def show_pair(pair: Pair, console: "Console") -> None:
    """A question whose answer changed: measures, memories, and the queries that differ."""
    from rich.padding import Padding
    from rich.text import Text

    verdict = pair.verdict
    head = Text(f"{verdict:5}", style=STYLES[verdict])
    head.append(f"{clean(pair.scenario)}/{clean(pair.question_id)}: ", style="bold")
    head.append(shorten(pair.variant.question, 200))
    console.print(head)
    old, new = pair.against, pair.variant
    left, came = ([m for m in a.ids if m not in b.ids] for a, b in ((old, new), (new, old)))
    dropped, added = other_queries(pair)
    moved = (f"{HEADINGS.get(m, m)} {a:.2f} → {b:.2f}" for m, a, b in shown_measures(pair))
    lines = [
        Text(", ".join(moved)),
        Text(f"went: {clean(', '.join(left))}" if left else ""),
        Text(f"came: {clean(', '.join(came))}" if came else ""),
        *query_lines("-", dropped),
        *query_lines("+", added),
    ]
    for line in lines:
        if line:
            console.print(Padding(line, (0, 0, 0, 5), expand=False))


def query_lines(sign: str, queries: Sequence[WrittenQuery]) -> "list[Text]":
    """One a query: for which facet, and its words."""
    from rich.text import Text

    style = "red" if sign == "-" else "green"
    lines = [
        Text(f"{sign} {shorten(query.facet, 40)}: {shorten(query.text, 120)}", style=style)
        for query in queries[:QUERIES_SHOWN]
    ]
    if len(queries) > QUERIES_SHOWN:
        lines.append(Text(f"{sign} and {len(queries) - QUERIES_SHOWN} more", style="dim"))
    return lines

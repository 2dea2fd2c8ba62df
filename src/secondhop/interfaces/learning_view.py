"""What was learned, for people."""

from typing import TYPE_CHECKING

from secondhop.interfaces.terminal import clean, shorten
from secondhop.learning_records import ContextReport, Hook, LearningReport, RoundCounts

if TYPE_CHECKING:
    from rich.console import Console

SHOWN = 6
"""Memories a context that people get to see; `--json` has all."""


def show_learned(report: LearningReport, console: "Console") -> None:
    """How it stands, then every context with what helped there and what did not."""
    state = "on" if report.on else "off: nothing is learned, and nothing learned is used"
    console.print(f"learning is {state}; {len(report.contexts)} contexts; {report.rounds.verdict}")
    if report.other_models:
        console.print(
            f"{report.other_models} contexts are of another embedding model than "
            f"{clean(report.embedder)}, and count for nothing"
        )
    for context in report.contexts:
        show_context(context, console)


def show_context(context: ContextReport, console: "Console") -> None:
    """One context."""
    console.print()
    console.print(
        f"context {context.context_id}: {context.sessions:.1f} sessions, "
        f"{context.mean_rounds:.1f} answers each, last {context.learned_at:%Y-%m-%d}",
        style="bold",
    )
    told = context.memories
    shown = told if len(told) <= SHOWN else [*told[: SHOWN // 2], *told[-(SHOWN // 2) :]]
    for one in shown:
        title = shorten(one.title, 60) if one.title else "(not stored any more)"
        console.print(f"  × {one.factor:.2f}  {clean(one.memory_id)}  {title}")
    if len(told) > len(shown):
        console.print(f"  and {len(told) - len(shown)} more", style="dim")
    for hook in context.hooks:
        console.print(f"  {hook_line(hook)}", style="dim" if hook.status != "promoted" else "")


def hook_line(hook: Hook) -> str:
    """ "hook: Résumé -> Last year's review (3 wins, promoted)"."""
    spark = shorten(hook.spark_title or hook.spark, 40)
    leads_to = shorten(hook.leads_to_title or hook.leads_to, 40)
    return f"hook: {spark} -> {leads_to} ({hook.wins} wins, {hook.status})"


def tuning_lines(rounds: RoundCounts) -> list[str]:
    """What `stats` says of sessions: one line, and one for each context that needs many answers."""
    lines = [f"{rounds.sessions} resolved; {rounds.verdict}"]
    for context in rounds.needs_tuning:
        about = ", ".join(f"“{shorten(title, 40)}”" for title in context.about())
        lines.append(
            f"context {context.context_id} needs {context.mean_rounds:.1f} answers"
            + (f": about {about}" if about else "")
        )
    return lines

"""What was learned, for people."""

from typing import TYPE_CHECKING

from secondhop.cli.terminal import clean, shorten
from secondhop.learning.records import ContextReport, LearnedCue, LearningReport, RoundCounts
from secondhop.wording import counted

if TYPE_CHECKING:
    from rich.console import Console

SHOWN = 6
"""Memories a context that people get to see; `--json` has all."""


def show_learned(report: LearningReport, console: "Console") -> None:
    """How it stands, then every context with what helped there and what did not."""
    state = "on" if report.on else "off: nothing is learned, and nothing learned is used"
    contexts = counted(len(report.contexts), "context")
    console.print(f"learning is {state}; {contexts}; {report.rounds.verdict}")
    if report.other_models:
        console.print(
            f"of another embedding model than {clean(report.embedder)}, counting for nothing: "
            f"{counted(report.other_models, 'context')}"
        )
    for context in report.contexts:
        show_context(context, console)


def show_context(context: ContextReport, console: "Console") -> None:
    """One context."""
    console.print()
    console.print(
        f"context {context.context_id}: {measured(context.sessions, 'session')}, "
        f"{measured(context.mean_rounds, 'answer')} each, last {context.learned_at:%Y-%m-%d}",
        style="bold",
    )
    told = context.memories
    shown = told if len(told) <= SHOWN else [*told[: SHOWN // 2], *told[-(SHOWN // 2) :]]
    for one in shown:
        title = shorten(one.title, 60) if one.title else "(not stored any more)"
        out = "  (kept out)" if one.refused else ""
        console.print(f"  × {one.factor:.2f}  {clean(one.memory_id)}  {title}{out}")
    if len(told) > len(shown):
        console.print(f"  and {len(told) - len(shown)} more", style="dim")
    for cue in context.cues:
        console.print(f"  {cue_line(cue)}", style="dim" if cue.status != "promoted" else "")


def measured(number: float, thing: str) -> str:
    """A mean, or a sum that fades with time, to one decimal place where it has any.

    >>> measured(1.0, "session"), measured(2.04, "session"), measured(1.25, "session")
    ('1 session', '2 sessions', '1.2 sessions')
    """
    rounded = round(number, 1)
    return f"{rounded:g} {thing}" if rounded == 1 else f"{rounded:g} {thing}s"


def cue_line(cue: LearnedCue) -> str:
    """ "cue: Résumé -> Last year's review (3 wins, promoted)"."""
    spark = shorten(cue.spark_title or cue.spark, 40)
    leads_to = shorten(cue.leads_to_title or cue.leads_to, 40)
    return f"cue: {spark} -> {leads_to} ({cue.wins} wins, {cue.status})"


def tuning_lines(rounds: RoundCounts) -> list[str]:
    """What `stats` says of sessions: one line, and one for each context that needs many answers."""
    lines = [f"{rounds.sessions:g} resolved; {rounds.verdict}"]
    for context in rounds.needs_tuning:
        about = ", ".join(f"“{shorten(title, 40)}”" for title in context.about())
        lines.append(
            f"context {context.context_id} needs {measured(context.mean_rounds, 'answer')}"
            + (f": about {about}" if about else "")
        )
    return lines

"""A contest as Markdown tables and as a JSON document."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from benchmarks.contest import Contest, Score

from secondhop.evals.measures import MEASURES, Measures, mean_of
from secondhop.evals.significance import Interval, paired_interval

COMPARED = ("facet_recall", "alpha_ndcg")
"""Measures that are shown with intervals."""


def overall(by_scenario: Mapping[str, Mapping[str, Score]]) -> Measures:
    """The mean of the scenarios' means; each scenario has the same weight."""
    return mean_of(
        mean_of(score.measures for score in scores.values()) for scores in by_scenario.values()
    )


def median_ms(by_scenario: Mapping[str, Mapping[str, Score]]) -> tuple[float, float]:
    """Median (wall, processor) milliseconds per question."""
    every = [score for scores in by_scenario.values() for score in scores.values()]
    return median(score.ms for score in every), median(score.cpu_ms for score in every)


def main_table(contest: Contest) -> Iterator[str]:
    """One row per system: its means and times."""
    yield row("", *MEASURES, "ms", "cpu ms")
    yield ruler(len(MEASURES) + 2)
    for system, by_scenario in contest.scores.items():
        means = overall(by_scenario)
        yield row(
            system,
            *(f"{means[name]:.3f}" for name in MEASURES),
            *(f"{ms:.0f}" for ms in median_ms(by_scenario)),
        )
    for system in contest.not_run:
        yield row(system, "not run", *[""] * (len(MEASURES) + 1))


def interval_table(contest: Contest, *, ours: str) -> Iterator[str]:
    """The difference of our measures from each other system's, with the 95 % interval."""
    yield row("difference", *COMPARED)
    yield ruler(len(COMPARED))
    for system in contest.scores:
        if system != ours:
            gaps = [difference(contest, ours, system, measure=name) for name in COMPARED]
            yield row(f"{ours} − {system}", *map(told, gaps))


def difference(contest: Contest, ours: str, other: str, *, measure: str) -> Interval:
    """Ours minus theirs, paired by question, with scenarios as strata."""
    mine, theirs = contest.scores[ours], contest.scores[other]
    return paired_interval(
        [
            [
                mine[name][question].measures[measure] - score.measures[measure]
                for question, score in scores.items()
            ]
            for name, scores in theirs.items()
        ]
    )


def told(interval: Interval) -> str:
    """ "+0.12 (0.05 to 0.19)"."""
    return f"{interval.difference:+.2f} ({interval.low:+.2f} to {interval.high:+.2f})"


def row(*cells: str) -> str:
    """One line of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def ruler(columns: int) -> str:
    """The line below the headings; all columns but the first are right-aligned."""
    return row("---", *["---:"] * columns)


def contest_document(
    contest: Contest, *, versions: Mapping[str, str], about: Mapping[str, Any]
) -> dict[str, Any]:
    """For `--json`: the figures of the tables, and those of each question."""
    systems: dict[str, Any] = {}
    for system, by_scenario in contest.scores.items():
        ms, cpu_ms = median_ms(by_scenario)
        systems[system] = {
            "mean": overall(by_scenario),
            "ms": ms,
            "cpu_ms": cpu_ms,
            "scenarios": {
                name: {
                    "mean": mean_of(score.measures for score in scores.values()),
                    "questions": {
                        question: {
                            **score.measures,
                            "ms": score.ms,
                            "cpu_ms": score.cpu_ms,
                            "ranked": score.ranked,
                        }
                        for question, score in scores.items()
                    },
                }
                for name, scores in by_scenario.items()
            },
        }
    return {"systems": systems, "not_run": contest.not_run, "versions": versions, **about}


def markdown(contest: Contest, *, ours: str) -> Sequence[str]:
    """All tables, and why some systems did not run."""
    lines = [*main_table(contest), ""]
    lines += [*interval_table(contest, ours=ours), ""] if ours in contest.scores else []
    return lines + [f"{system} did not run: {why}" for system, why in contest.not_run.items()]

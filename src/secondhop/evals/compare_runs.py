"""Two runs over the same questions, as `eval scenarios --per-question --json` wrote them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from secondhop.errors import UsageError
from secondhop.evals.comparison import Comparison, compared
from secondhop.evals.measures import MEASURES, Measures
from secondhop.evals.opponents import is_report
from secondhop.evals.verdicts import Verdict, tally, verdict_of

_DOCUMENT = TypeAdapter(dict[str, Any])


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class MissedMemory(_Part):
    """A memory that would have served a facet."""

    memory_id: str
    title: str = ""
    reason: str = ""
    """What kept it out."""


class MissedFacet(_Part):
    """A labelled facet that nothing returned serves."""

    name: str
    hop: int = 1
    memories: Sequence[MissedMemory] = ()


class _Story(_Part):
    missed: Sequence[MissedFacet] = ()
    degraded: Sequence[str] = ()


class RecordedScenario(_Part):
    """One scenario of a run."""

    results: Mapping[str, Sequence[str]]
    queries: Mapping[str, Measures]
    """{question id: its measures}."""
    stories: Mapping[str, _Story] = {}
    costs: Mapping[str, float | None] = {}
    """Of the mean recall."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRun:
    """A run, by scenario."""

    name: str
    scenarios: Mapping[str, RecordedScenario]

    def cost(self, name: str) -> float | None:
        """Of the mean recall, each scenario counting the same; None where one does not tell."""
        told = [one.costs.get(name) for one in self.scenarios.values()]
        known = [one for one in told if one is not None]
        return fmean(known) if len(known) == len(told) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedQuestion:
    """One question in both runs."""

    scenario: str
    question_id: str
    first: Measures
    second: Measures
    came: Sequence[str]
    """Memories that only the second run returned."""
    went: Sequence[str]
    missed: Sequence[MissedFacet]
    """What the second run did not serve, where it tells."""
    degraded: Sequence[str]
    """What the second run had to do without."""

    @property
    def verdict(self) -> Verdict:
        """Whether the second run answers it better."""
        return verdict_of(self.first, self.second)

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "scenario": self.scenario,
            "question_id": self.question_id,
            "verdict": self.verdict,
            "first": self.first,
            "second": self.second,
            "came": list(self.came),
            "went": list(self.went),
            "missed": [facet.model_dump() for facet in self.missed],
            "degraded": list(self.degraded),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRuns:
    """Two runs, question by question and together."""

    first: RecordedRun
    second: RecordedRun
    questions: Sequence[ComparedQuestion]
    comparison: Comparison
    """Ours is the second."""
    alone: Sequence[str]
    """Questions that only one of them asked, as "scenario/id"; left out."""

    def verdicts(self) -> dict[Verdict, int]:
        """How many questions the second run won, lost and left as they were."""
        return tally(question.verdict for question in self.questions)

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "first": self.first.name,
            "second": self.second.name,
            **{str(verdict): count for verdict, count in self.verdicts().items()},
            "measures": {
                row.measure: {
                    "first": row.theirs,
                    "second": row.ours,
                    **{k: v for k, v in row.document().items() if k not in ("ours", "theirs")},
                }
                for row in self.comparison.differences
            },
            "costs": {
                side: {name: one.costs for name, one in run.scenarios.items()}
                for side, run in (("first", self.first), ("second", self.second))
            },
            "left_out": list(self.alone),
            "questions": [question.document() for question in self.questions],
        }


def read_run(path: Path) -> RecordedRun:
    """The run in a file.

    Raises:
        UsageError: it cannot be read, or is no report with the measures of every question.
    """
    try:
        document = _DOCUMENT.validate_json(path.read_bytes())
        scenarios = {
            name: RecordedScenario.model_validate(one)
            for name, one in document.items()
            if is_report(one)
        }
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except ValidationError as error:
        raise UsageError(_no_report(path)) from error
    if not scenarios:
        raise UsageError(_no_report(path))
    return RecordedRun(name=path.name, scenarios=scenarios)


def _no_report(path: Path) -> str:
    return (
        f"{path} is no report with the measures of every question; write one: "
        f"`secondhop eval scenarios --per-question --json > {path.name}`"
    )


def compared_runs(first: RecordedRun, second: RecordedRun) -> ComparedRuns:
    """Both runs over the questions that both asked.

    Raises:
        UsageError: there is no such question.
    """
    shared = [name for name in first.scenarios if name in second.scenarios]
    questions = [
        question
        for name in shared
        for question in compared_questions(name, first.scenarios[name], second.scenarios[name])
    ]
    if not questions:
        raise UsageError(f"{first.name} and {second.name} have no question in common")
    ours, theirs = (
        {name: run.scenarios[name].queries for name in shared} for run in (second, first)
    )
    both = {f"{question.scenario}/{question.question_id}" for question in questions}
    return ComparedRuns(
        first=first,
        second=second,
        questions=questions,
        comparison=compared("the first", ours, theirs, first=MEASURES),
        alone=sorted((asked(first) | asked(second)) - both),
    )


def compared_questions(
    name: str, first: RecordedScenario, second: RecordedScenario
) -> list[ComparedQuestion]:
    """The questions of one scenario that both runs asked, in the order of the first."""
    found: list[ComparedQuestion] = []
    for one in first.queries:
        if one not in second.queries:
            continue
        before, after = first.results.get(one, ()), second.results.get(one, ())
        story = second.stories.get(one, _Story())
        found.append(
            ComparedQuestion(
                scenario=name,
                question_id=one,
                first=first.queries[one],
                second=second.queries[one],
                came=[memory for memory in after if memory not in before],
                went=[memory for memory in before if memory not in after],
                missed=story.missed,
                degraded=story.degraded,
            )
        )
    return found


def asked(run: RecordedRun) -> set[str]:
    """Every question of a run, as "scenario/id"."""
    return {f"{name}/{one}" for name, part in run.scenarios.items() for one in part.queries}

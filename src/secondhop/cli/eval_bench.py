"""Where scenarios are measured: stores to throw away, kept embeddings, settings to compare."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from secondhop.annotate.settings import AnnotateSettings
from secondhop.cli.annotate_view import annotated_text
from secondhop.cli.kept_answers import answering_model
from secondhop.cli.opening import (
    kept_embeddings,
    named_llm,
    opened,
    settings_of,
    throwaway,
)
from secondhop.cli.options import Common
from secondhop.cli.progress import bars
from secondhop.cli.terminal import notices
from secondhop.errors import ModelError, UsageError
from secondhop.evals.comparison import Answered, Comparison, compared
from secondhop.evals.comparison_targets import (
    ComparisonTarget,
    EarlierReport,
    OtherSettings,
    PlainSearch,
)
from secondhop.evals.measures import MEASURES
from secondhop.evals.report import ScenarioReport, judged
from secondhop.evals.scenario import Scenario
from secondhop.evals.scenarios import Asking, expect_stored, run_scenario, store_scenario
from secondhop.ingest.run import IngestProgress
from secondhop.models.answer_cache import AnswerCache
from secondhop.models.embedder import Embedder
from secondhop.nodes.config import Config
from secondhop.settings import load_settings

if TYPE_CHECKING:
    from secondhop.prompts.templates import PromptSource
    from secondhop.recall import Recall

CACHE = "eval"
"""Folder of the kept embeddings in the user's cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalPlan:
    """What to measure, how, and against what."""

    scenarios: Sequence[Scenario]
    against: ComparisonTarget | None = None
    asking: Asking = field(default_factory=Asking)
    annotate: bool = False
    """Let the model write cues before the questions are asked."""
    answers: Path | None = None
    """File or folder where a language model's answers are kept; None: they are kept nowhere."""
    stored: bool = False
    """Ask the memory that the options name: the scenarios are questions alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was found."""

    reports: list[ScenarioReport]
    comparison: Comparison | None = None

    def document(self, *, per_question: bool) -> dict[str, Any]:
        """For `--json`: a key a scenario, and "against" when there was a comparison."""
        found = {one.name: one.document(per_question=per_question) for one in self.reports}
        return {**found, "against": self.comparison.document()} if self.comparison else found


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalBench:
    """What outlasts one scenario."""

    place: Common
    embedder: Embedder
    progress: IngestProgress | None
    model: AnswerCache | None = None
    """Plans and judges; None: offline."""
    annotate: bool = False
    """Let the model write cues before the questions are asked."""
    stored: bool = False
    """As `EvalPlan.stored`."""

    async def run(
        self,
        scenario: Scenario,
        *,
        settings: Config,
        asking: Asking,
        prompts: "PromptSource | None" = None,
    ) -> ScenarioReport:
        """Store the scenario, if it is not, and ask its questions with these settings.

        Args:
            prompts: instead of those that the options name.
        """
        async with opened(
            self.place,
            entity=None if self.stored else scenario.name,
            embedder=self.embedder,
            counting=True,
            prompts=prompts,
            settings=settings,
            llm=self.model,
            annotate=AnnotateSettings(by_itself=False, concurrency=max(4, asking.at_once)),
        ) as recall:
            if self.stored:
                await expect_stored(scenario, recall)
            else:
                await store_scenario(scenario, recall, progress=self.progress)
            if self.annotate:
                await self._write_cues(scenario, recall)
            return await run_scenario(scenario, recall, asking=asking, progress=self.progress)

    async def _write_cues(self, scenario: Scenario, recall: "Recall") -> None:
        """Annotate what is not annotated yet, and say what that took."""
        ledger = await recall.aannotate(progress=self.progress)
        if ledger.annotated or ledger.pending:
            notices().print(f"{scenario.name}: {annotated_text(ledger)}", soft_wrap=True)
        if ledger.pending:
            why = ledger.stopped or next((one.why for one in ledger.failed), "nothing says why")
            raise ModelError(f"{ledger.pending} memories of {scenario.name} have no cues: {why}")


@asynccontextmanager
async def eval_bench(
    common: Common,
    *,
    answers: Path | None = None,
    annotate: bool = False,
    stored: bool = False,
) -> AsyncGenerator[EvalBench, None]:
    """A bench; a store that was not named is gone afterwards.

    Args:
        answers: file or folder where a language model's answers are kept.
        annotate: let the model write cues before the questions are asked.
        stored: ask the memory that the options name.

    Raises:
        UsageError: cues are to be written, and no model is named.
    """
    if annotate:
        named_llm(common)
    async with AsyncExitStack() as stack:
        yield EvalBench(
            place=common if stored else stack.enter_context(throwaway(common)),
            embedder=stack.enter_context(kept_embeddings(common, CACHE)),
            progress=stack.enter_context(bars()),
            model=await stack.enter_async_context(answering_model(common, answers)),
            annotate=annotate,
            stored=stored,
        )


async def measured(plan: EvalPlan, common: Common) -> Measured:
    """One report a scenario, from a throwaway store unless one was named to keep.

    Raises:
        UsageError: no such setting, or an earlier report of other scenarios.
    """
    environment = load_settings()
    own = settings_of(common, environment)
    other = plan.against
    theirs: Config | None = None
    if isinstance(other, OtherSettings):
        theirs = settings_of(replace(common, settings=tuple(other.changes)), environment)
    if isinstance(other, EarlierReport):
        expect_scenarios(other, plan.scenarios)
    async with eval_bench(
        common,
        answers=plan.answers,
        annotate=plan.annotate,
        stored=plan.stored,
    ) as bench:
        reports: list[ScenarioReport] = []
        answered: dict[str, Answered] = {}
        for scenario in plan.scenarios:
            report = await bench.run(scenario, settings=own, asking=plan.asking)
            reports.append(report)
            if theirs is not None:
                alone = Asking(at_once=plan.asking.at_once, baselines=False)
                other_report = await bench.run(scenario, settings=theirs, asking=alone)
                answered[scenario.name] = with_costs(other_report)
            elif other is not None:
                answered[scenario.name] = answered_before(other, report)
    ours = {report.name: with_costs(report) for report in reports}
    comparison = compared(other.name, ours, answered, first=MEASURES) if other else None
    return Measured(reports=reports, comparison=comparison)


def expect_scenarios(earlier: EarlierReport, scenarios: Sequence[Scenario]) -> None:
    """Raises UsageError when the report has none of these scenarios, or not all."""
    missing = [one.name for one in scenarios if one.name not in earlier.results]
    if missing:
        raise UsageError(
            f"the report {earlier.name} has no scenario {', '.join(missing)}; "
            f"it has {', '.join(earlier.results)}"
        )


def answered_before(other: ComparisonTarget, report: ScenarioReport) -> Answered:
    """What plain search answered, or an earlier report, which is measured again."""
    if isinstance(other, PlainSearch):
        run = report.systems[other.name]
    elif isinstance(other, EarlierReport):
        results = other.results[report.name]
        run = judged([one for one in report.asked if one.id in results], results)
    else:
        raise AssertionError("unreachable: other settings are asked")
    return Answered(rows=run.rows(), results=run.results)


def with_costs(report: ScenarioReport, *, timed: bool = True) -> Answered:
    """What secondhop answered, and what each recall cost.

    Args:
        timed: with the time it took; False where answers of a model may come from a file.
    """
    rows = {
        one: {
            **measures,
            **({"ms": report.ms[one]} if timed else {}),
            "llm_calls": report.spent[one].llm_calls,
            "tokens": report.spent[one].prompt_tokens + report.spent[one].completion_tokens,
        }
        for one, measures in report.ours.rows().items()
    }
    return Answered(rows=rows, results=report.results)

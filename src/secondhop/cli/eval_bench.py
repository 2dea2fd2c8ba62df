"""Measures scenarios: temporary stores, cached embeddings, two sides to compare."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from secondhop.annotate.settings import AnnotateSettings
from secondhop.cli.annotate_view import annotated_text
from secondhop.cli.kept_answers import answering_model
from secondhop.cli.opening import (
    kept_embeddings,
    named_llm,
    opened,
    prompts_in_force,
    settings_of,
    throwaway,
    untraced,
)
from secondhop.cli.options import Common
from secondhop.cli.progress import bars
from secondhop.cli.terminal import notices
from secondhop.errors import ModelError, UsageError
from secondhop.evals.comparison import Comparison, compared
from secondhop.evals.comparison_targets import ComparisonTarget, KnownRankings, OtherSide
from secondhop.evals.report import ScenarioReport, SystemRun, judged
from secondhop.evals.scenario import Scenario
from secondhop.evals.scenarios import Asking, expect_stored, run_scenario, store_scenario
from secondhop.ingest.run import IngestProgress
from secondhop.models.answer_cache import AnswerCache
from secondhop.models.embedder import Embedder
from secondhop.nodes.config import Config
from secondhop.prompts.templates import Prompt
from secondhop.recall import Recall


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalPlan:
    """What to measure, how, and against what."""

    scenarios: Sequence[Scenario]
    against: ComparisonTarget | None = None
    asking: Asking = field(default_factory=Asking)
    annotate: bool = False
    """Let the model write cues before the questions are asked."""
    answers: Path | None = None
    """File or folder in which a language model's answers are kept; None: they are not kept."""
    stored: bool = False
    """Ask the entity in the options; the scenarios then consist of questions only."""
    prompt: Prompt | None = None
    """Used instead of the prompt in force with the same name."""

    @property
    def other(self) -> OtherSide | None:
        """The other side, if it has to be asked."""
        return self.against if isinstance(self.against, OtherSide) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The reports of a plan."""

    reports: list[ScenarioReport]
    others: list[ScenarioReport] = field(default_factory=list[ScenarioReport])
    """Those of the other side, in the order of `reports`; [] if it was not asked."""
    comparison: Comparison | None = None

    def document(self, *, per_question: bool) -> dict[str, Any]:
        """For `--json`: one key per scenario, and "against" if there was a comparison."""
        found = {one.name: one.document(per_question=per_question) for one in self.reports}
        if self.comparison is None:
            return found
        against = self.comparison.document()
        if self.others:
            against["no_answer"] = sum(one.wrongly_answered() for one in self.others)
            against["degraded"] = {one.name: one.degraded() for one in self.others}
        return {**found, "against": against}


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """How one side of a comparison answers."""

    settings: Config
    prompts: Mapping[str, Prompt]
    suffix: str = ""
    """Appended to the names of the entities that it is stored as."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalBench:
    """What all scenarios of a plan share."""

    plan: EvalPlan
    place: Common
    embedder: Embedder
    progress: IngestProgress | None
    model: AnswerCache | None = None
    """Plans and votes; None: offline."""

    async def run(self, scenario: Scenario, side: Side, *, asking: Asking) -> ScenarioReport:
        """Store the scenario unless `plan.stored`, and ask its questions."""
        stored, annotate = self.plan.stored, self.plan.annotate
        async with opened(
            self.place,
            entity=None if stored else f"{scenario.name}{side.suffix}",
            embedder=self.embedder,
            counting=True,
            prompts=side.prompts,
            settings=untraced(side.settings),
            llm=self.model,
            annotate=AnnotateSettings(by_itself=False, concurrency=max(4, asking.at_once)),
        ) as recall:
            if stored:
                await expect_stored(scenario, recall)
            else:
                await store_scenario(scenario, recall, progress=self.progress)
            if annotate:
                await self._write_cues(scenario, recall)
            return await run_scenario(scenario, recall, asking=asking, progress=self.progress)

    async def _write_cues(self, scenario: Scenario, recall: Recall) -> None:
        """Let the model write the cues that are missing, and print what that took."""
        ledger = await recall.memories.cues.aannotate(progress=self.progress)
        if ledger.annotated or ledger.pending:
            notices().print(f"{scenario.name}: {annotated_text(ledger)}", soft_wrap=True)
        if ledger.pending:
            why = ledger.stopped or next((one.why for one in ledger.failed), "nothing says why")
            raise ModelError(f"{ledger.pending} memories of {scenario.name} have no cues: {why}")

    def expect_answers(self, reports: Sequence[ScenarioReport]) -> None:
        """Raises ModelError if the model never answered, since nothing could be compared."""
        counts = self.model.counts if self.model else None
        reasons = [why for one in reports for own in one.degraded().values() for why in own]
        if counts and reasons and counts.from_cache + counts.asked == counts.failed:
            raise ModelError(f"the model never answered, there is nothing to compare: {reasons[0]}")


@asynccontextmanager
async def eval_bench(plan: EvalPlan, common: Common) -> AsyncGenerator[EvalBench, None]:
    """A bench, on the store in the options or a temporary one."""
    needed = needs_model(plan)
    if needed:
        named_llm(common)
    asked = needed or plan.asking.effort is None
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(answering_model(common, plan.answers, asked=asked))
        yield EvalBench(
            plan=plan,
            place=common if plan.stored else stack.enter_context(throwaway(common)),
            embedder=stack.enter_context(kept_embeddings(common)),
            progress=stack.enter_context(bars()),
            model=model,
        )


def needs_model(plan: EvalPlan) -> bool:
    """Whether the plan writes cues, tries a prompt, or asks with an effort that calls a model."""
    efforts, prompts = [plan.asking.effort], [plan.prompt]
    if plan.other is not None:
        efforts.append(plan.other.effort)
        prompts.append(plan.other.prompt)
    return plan.annotate or any(prompts) or not {"low", "high"}.isdisjoint(efforts)


async def measured(plan: EvalPlan, common: Common) -> Measured:
    """One report per scenario, from a temporary store unless the options name one."""
    own, theirs = sides(plan, common)
    if isinstance(plan.against, KnownRankings):
        expect_scenarios(plan.against, plan.scenarios)
    reports, others = list[ScenarioReport](), list[ScenarioReport]()
    async with eval_bench(plan, common) as bench:
        compared_times = theirs is not None and plan.answers is None
        asking = replace(plan.asking, warm_up=compared_times)
        for scenario in plan.scenarios:
            reports.append(await bench.run(scenario, own, asking=asking))
            if theirs is not None:
                effort = (plan.other and plan.other.effort) or asking.effort
                alone = replace(asking, baselines=False, missed=False, effort=effort)
                others.append(await bench.run(scenario, theirs, asking=alone))
        if plan.other is not None and plan.other.prompt is not None:
            bench.expect_answers([*reports, *others])
    comparison = comparison_of(plan, reports, others)
    return Measured(reports=reports, others=others, comparison=comparison)


def sides(plan: EvalPlan, common: Common) -> tuple[Side, Side | None]:
    """Our side, and the other side if that is secondhop, too (None otherwise)."""
    other, in_force = plan.other, prompts_in_force(common)
    tried = {plan.prompt.name: plan.prompt} if plan.prompt else {}
    own = Side(settings=settings_of(common), prompts={**in_force, **tried})
    if other is None:
        return own, None
    if other.changes is not None:
        theirs = replace(own, settings=settings_of(replace(common, settings=[*other.changes])))
        if own.settings.limits.k != theirs.settings.limits.k:
            raise UsageError(
                "limits.k cannot be compared: every question of a scenario has its own k; leave "
                "limits.k out, or change k in the questions"
            )
        return own, theirs
    if other.prompt is not None:
        prompts = {**in_force, other.prompt.name: other.prompt}
        suffix = "-against" if plan.annotate else ""
        return own, replace(own, prompts=prompts, suffix=suffix)
    return own, own


def expect_scenarios(known: KnownRankings, scenarios: Sequence[Scenario]) -> None:
    """Raises UsageError if an earlier report lacks any of these scenarios."""
    if known.results is None:
        return
    missing = [one.name for one in scenarios if one.name not in known.results]
    if missing:
        raise UsageError(
            f"the report {known.name} has no scenario {', '.join(missing)}; "
            f"it has {', '.join(known.results)}"
        )


def comparison_of(
    plan: EvalPlan, reports: Sequence[ScenarioReport], others: Sequence[ScenarioReport]
) -> Comparison | None:
    """Our answers compared with those of the other side; None without another side."""
    other, timed = plan.against, plan.answers is None
    if other is None:
        return None
    if isinstance(other, KnownRankings):
        theirs = {one.name: answered_before(other, one) for one in reports}
    else:
        theirs = {one.name: with_costs(one, timed=timed) for one in others}
    ours = {one.name: with_costs(one, timed=timed) for one in reports}
    return compared(other.name, ours, theirs)


def answered_before(known: KnownRankings, report: ScenarioReport) -> SystemRun:
    """The answers of plain search, or those of an earlier report, measured again."""
    if known.results is None:
        return report.systems[known.name]
    results = known.results[report.name]
    return judged([one for one in report.asked if one.id in results], results)


def with_costs(report: ScenarioReport, *, timed: bool) -> SystemRun:
    """The answers of secondhop, and what each recall cost.

    `timed`: with the time; False if answers of the model may come from a file.
    """
    rows = {
        one: {
            **report.ours.questions[one],
            **({"ms": answer.ms} if timed else {}),
            "llm_calls": answer.spent.llm_calls,
            "tokens": answer.spent.prompt_tokens + answer.spent.completion_tokens,
        }
        for one, answer in report.labelled().items()
    }
    return SystemRun(questions=rows, results=report.ours.results)

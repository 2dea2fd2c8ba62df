"""Where prompts are tried: scenarios stored once, one model, and the answers it gave before."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from secondhop.cli.kept_answers import kept_answers, opened_llm, usual_answers
from secondhop.cli.opening import (
    OFFLINE,
    kept_embeddings,
    named_llm,
    opened,
    prompts_in_force,
    throwaway,
)
from secondhop.cli.options import Common
from secondhop.cli.progress import bars
from secondhop.errors import ModelError, UsageError
from secondhop.evals.cue_trial import sampled, try_cues
from secondhop.evals.prompt_trial import Contender, Pair, try_scenario
from secondhop.evals.scenario import Scenario
from secondhop.evals.scenarios import store_scenario
from secondhop.evals.trial_report import TrialReport
from secondhop.ingest.run import IngestProgress
from secondhop.models.answer_cache import AnswerCache, AnswerCounts, AnswerFile
from secondhop.models.embedder import Embedder
from secondhop.models.llm import StructuredLLM
from secondhop.models.prices import TokenPrice, load_prices, price_of
from secondhop.prompts.templates import TRIED_PROMPTS, Prompt, recall_replacement
from secondhop.recall import Recall
from secondhop.settings import load_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPlan:
    """What to try on what."""

    variant: Path
    against: Path | None
    """None: the prompt in force."""
    scenarios: list[Scenario]
    at_once: int
    limit: int | None
    fresh: bool
    """Ask everything again; what both variants ask in the same words is still asked once."""
    sample: int = 40
    """Memories of a scenario that are annotated where the prompt `annotate` is tried."""
    answers: Path | None = None
    """File or folder of the answers that are kept; None: the user's cache folder."""

    def files(self) -> list[Path]:
        """The files to watch."""
        return [self.variant] if self.against is None else [self.against, self.variant]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Everything that outlasts one run of a trial."""

    plan: TrialPlan
    in_force: Mapping[str, Prompt]
    """Every prompt by name."""
    llm: StructuredLLM
    price: TokenPrice | None
    answers: AnswerFile
    memories: list[tuple[Scenario, Recall]]
    place: Common
    embedder: Embedder

    async def run(self) -> TrialReport:
        """One trial, of the files as they now are.

        Raises:
            PromptError: a file is faulty.
            UsageError: the two replace different prompts.
            ModelError: the model never answered, so there is nothing to compare.
        """
        prompts = prompt_pair(self.plan, self.in_force)
        sides = [{**self.in_force, one.name: one} for one in prompts]
        against, variant = (
            Contender(prompts=side, llm=self.llm, answers=self.answers, price=self.price)
            for side in sides
        )
        with bars() as progress:
            if prompts[0].name == "annotate":
                pairs = await self._try_cues((against, variant), progress)
            else:
                pairs = await self._try_recalls((against, variant), progress)
        expect_answers(pairs, against.counts, variant.counts)
        return TrialReport(
            prompts=prompts,
            model=self.llm.model_id,
            pairs=pairs,
            counts=(against.counts, variant.counts),
            price=self.price,
        )

    async def _try_recalls(
        self, contenders: tuple[Contender, Contender], progress: IngestProgress | None
    ) -> list[Pair]:
        """Every question planned and judged with both prompts."""
        pairs: list[Pair] = []
        for scenario, recall in self.memories:
            pairs += await try_scenario(
                scenario,
                recall,
                contenders,
                at_once=self.plan.at_once,
                limit=self.plan.limit,
                progress=progress,
            )
        return pairs

    async def _try_cues(
        self, contenders: tuple[Contender, Contender], progress: IngestProgress | None
    ) -> list[Pair]:
        """Every question asked of cues that were written with both prompts, for a sample."""
        pairs: list[Pair] = []
        for scenario, _ in self.memories:
            part = sampled(scenario, memories=self.plan.sample, limit=self.plan.limit)
            async with AsyncExitStack() as stack:
                recalls = [
                    await stack.enter_async_context(self._annotated(scenario, one))
                    for one in contenders
                ]
                pairs += await try_cues(part, recalls, progress=progress)
        return pairs

    @asynccontextmanager
    async def _annotated(
        self, scenario: Scenario, contender: Contender
    ) -> AsyncGenerator[Recall, None]:
        """An empty memory that is gone afterwards, to be annotated by a contender."""
        cache = AnswerCache(contender.llm, contender.answers, counts=contender.counts)
        alone = replace(self.place, store=None, chroma="")
        with throwaway(alone) as place:
            async with opened(
                place,
                entity=scenario.name,
                embedder=self.embedder,
                counting=True,
                prompts=contender.prompts,
                llm=cache,
            ) as recall:
                yield recall


def prompt_pair(plan: TrialPlan, in_force: Mapping[str, Prompt]) -> tuple[Prompt, Prompt]:
    """(against, variant), read from their files.

    Raises:
        PromptError: a file is faulty, or no recall uses the prompt.
        UsageError: the two replace different prompts.
    """
    variant = recall_replacement(plan.variant, among=TRIED_PROMPTS)
    against = in_force[variant.name]
    if plan.against is not None:
        against = recall_replacement(plan.against, among=TRIED_PROMPTS)
    if against.name != variant.name:
        raise UsageError(
            f"{variant.path} replaces the prompt {variant.name}, {against.path} the prompt "
            f"{against.name}; compare two variants of one prompt"
        )
    return against, variant


def expect_answers(pairs: Sequence[Pair], *counts: AnswerCounts) -> None:
    """Raises ModelError when the model never answered: then both sides had no model."""
    answered = sum(one.from_cache + one.asked - one.failed for one in counts)
    reasons = [reason for pair in pairs for reason in pair.variant.degraded]
    if reasons and not answered:
        raise ModelError(f"the model never answered, there is nothing to compare: {reasons[0]}")


@asynccontextmanager
async def bench_of(plan: TrialPlan, common: Common) -> AsyncGenerator[Bench, None]:
    """The bench with everything stored; a store that was not named is gone afterwards.

    Raises:
        PromptError: a file is faulty.
        UsageError: no language model is named, or the two files replace different prompts.
    """
    spec, in_force = named_llm(common), prompts_in_force(common)
    with ExitStack() as files:
        answers = files.enter_context(
            kept_answers(None if plan.fresh else plan.answers or usual_answers())
        )
        place = replace(files.enter_context(throwaway(common)), llm=OFFLINE)
        embedder = files.enter_context(kept_embeddings(common, "eval"))
        async with AsyncExitStack() as stack:
            llm = await stack.enter_async_context(opened_llm(common, spec))
            memories: list[tuple[Scenario, Recall]] = []
            for scenario in plan.scenarios:
                opening = opened(place, entity=scenario.name, embedder=embedder, counting=True)
                recall = await stack.enter_async_context(opening)
                with bars() as progress:
                    await store_scenario(scenario, recall, progress=progress)
                memories.append((scenario, recall))
            yield Bench(
                plan=plan,
                in_force=in_force,
                llm=llm,
                price=price_of(llm.model_id, load_prices(load_settings().prices)),
                answers=answers,
                memories=memories,
                place=place,
                embedder=embedder,
            )

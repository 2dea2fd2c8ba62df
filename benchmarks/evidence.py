"""Measures how much labelled evidence recall returns within a token budget, beside plain search.

    python -m benchmarks.evidence DIR... [--budgets 500,1000,2000] [--limit N]
    python -m benchmarks.evidence DIR... --set ranking.min_score=0.3 --json

Each entity of a set becomes an entity of the store, and each session a memory. A question without a
time is asked at the time of the entity's last item. It is asked once, and the passages that come
back fill the budgets, best first. Plain search uses the same store and vectors, and the question
only: dense search, BM25, and both fused. docs/benchmarks.md describes the format.
"""

import argparse
import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from time import perf_counter

import numpy as np
from benchmarks.evidence_report import OURS, EvidenceReport
from benchmarks.evidence_score import EvidenceScorer
from benchmarks.evidence_set import EvidenceSet, QuestionLine, load_evidence_set, stratified
from benchmarks.evidence_store import store_items

from secondhop.cli.opening import kept_embeddings, opened, throwaway
from secondhop.cli.options import Common
from secondhop.cli.progress import bars
from secondhop.errors import SecondhopError
from secondhop.evals.setting_files import changed_settings, settings_said
from secondhop.graph.result import RecallResult
from secondhop.nodes.config import Config
from secondhop.ranking.fusion import reciprocal_rank_fusion
from secondhop.recall import Recall

BUDGETS = (500, 1000, 2000)
"""In tokens."""

MARGIN = 1.5
"""Tokens asked for, as a multiple of the largest budget.

A budget counts four characters as a token, but in code and numbers a tokenizer finds more tokens
than that. What exceeds the budget is cut off.
"""

PASSAGES = 200
"""Passages of each plain search; more than the largest default budget holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRun:
    """How sets are measured."""

    budgets: Sequence[int] = BUDGETS
    limit: int | None = None
    """Questions per set, in proportion to their types; None: all."""
    config: Config = field(default_factory=Config)


async def measured_sets(
    sets: Sequence[EvidenceSet], common: Common, run: EvidenceRun
) -> list[EvidenceReport]:
    """One report per set, from a temporary store unless `common` names one."""
    with ExitStack() as stack:
        place = stack.enter_context(throwaway(common))
        embedder = stack.enter_context(kept_embeddings(common))
        progress = stack.enter_context(bars())
        reports: list[EvidenceReport] = []
        for one in sets:
            report, scorer = EvidenceReport(name=one.name, budgets=run.budgets), EvidenceScorer(one)
            questions = stratified(one.questions, limit=run.limit)
            for entity in dict.fromkeys(question.entity for question in questions):
                async with opened(
                    place,
                    entity=f"{one.name}: {entity}",
                    embedder=embedder,
                    counting=True,
                    settings=run.config,
                ) as recall:
                    await store_items(one.items_of(entity), recall, progress=progress)
                    for question in (q for q in questions if q.entity == entity):
                        await ask(question, recall, report, scorer, last=one.last_moment(entity))
                        if progress:
                            progress(one.name, len(report.results), len(questions))
            reports.append(report)
    return reports


async def ask(
    question: QuestionLine,
    recall: Recall,
    report: EvidenceReport,
    scorer: EvidenceScorer,
    *,
    last: datetime | None,
) -> None:
    """Ask secondhop and plain search one question, and add the results to the report."""
    tokens = round(MARGIN * max(report.budgets))
    began = perf_counter()
    result = await recall.arecall(question.question, tokens=tokens, at=question.asked_at or last)
    ms = 1000 * (perf_counter() - began)
    rankings = {OURS: passages_of(result), **await plain_passages(question.question, recall)}
    report.add(
        question,
        rankings[OURS],
        recalls={
            system: scorer.recalls(question, passages, budgets=report.budgets)
            for system, passages in rankings.items()
        },
        ms=ms,
    )


def passages_of(result: RecallResult) -> list[str]:
    """The texts of all evidence, best first, across memories."""
    evidence = [passage for memory in result.memories for passage in memory.evidence]
    evidence.sort(key=lambda passage: passage.place or 0)
    return [passage.text for passage in evidence]


async def plain_passages(question: str, recall: Recall) -> Mapping[str, list[str]]:
    """{baseline: passage texts, best first}, searching for the question only."""
    store = recall.admin.store
    vector = (await recall.admin.services.embedder.embed_queries([question]))[0]
    dense = [hit.passage_id for hit in (await store.dense(vector[np.newaxis, :], k=PASSAGES))[0]]
    lexical = [hit.passage_id for hit in (await store.lexical([question], k=PASSAGES))[0]]
    fused = [passage_id for passage_id, _ in reciprocal_rank_fusion([dense, lexical])]
    passages = await store.passages(fused)
    rankings = {"dense": dense, "bm25": lexical, "rrf": fused}
    return {
        name: [passages[passage_id].text for passage_id in ranking if passage_id in passages]
        for name, ranking in rankings.items()
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the sets in the command line, and print a table for each or one JSON document."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--budgets", default="500,1000,2000", metavar="N,N")
    parser.add_argument("--limit", type=int, metavar="N", help="questions a set")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--embedder", metavar="SPEC")
    parser.add_argument("--store", type=Path, metavar="DIR", help="keep the store there")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    try:
        run = EvidenceRun(
            budgets=sorted({int(budget) for budget in given.budgets.split(",")}),
            limit=given.limit,
            config=changed_settings(settings_said(given.set)),
        )
        sets = [load_evidence_set(folder) for folder in given.folders]
        common = Common(llm="offline", embedder=given.embedder, store=given.store, json=given.json)
        reports = asyncio.run(measured_sets(sets, common, run))
    except SecondhopError as error:
        raise SystemExit(f"evidence: {error}") from error
    if given.json:
        print(json.dumps({report.name: report.document() for report in reports}))
        return
    for report in reports:
        for line in report.lines():
            print(line)


if __name__ == "__main__":
    main()

"""The parts of a record: what `benchmarks.freeze` measures, one function each."""

import asyncio
import hashlib
import json
import random
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias
from xml.etree import ElementTree

import typer.main
from benchmarks.example_store import (
    ROOT,
    SCENARIO,
    command_line,
    module_output,
    questions_of,
    store_scenario,
)
from benchmarks.recall_trace_count import warm_recall
from benchmarks.shape import shape

from secondhop import Recall

SEED = 14
"""Seed for the sample of questions."""

FAULT_TESTS = "kill or fault or storm or crash or interrupt"
"""Selects the slow tests of faults, as an expression for pytest's `-k`."""

Figures: TypeAlias = Mapping[str, Any]
"""Nested mappings of numbers and digests."""


def parts_of(
    *, evidence: Sequence[Path] = (), sample: int | None = None, faults: bool = False
) -> dict[str, Callable[[], Figures]]:
    """{part: function that measures it}; the text before a slash is the kind of part."""
    examples = ROOT / "examples"
    return {
        "shape": lambda: shape(ROOT) | {"commands": command_count(ROOT)},
        "straightness": lambda: asyncio.run(warm_recall(SCENARIO)).figures(),
        "golden": lambda: {path.name: digest(path.read_text()) for path in golden_files()},
        "sizes": partial(sizes, SCENARIO),
        "scenarios/known": partial(scenario_means, examples / "scenarios"),
        "scenarios/unseen": partial(scenario_means, examples / "scenarios-unseen"),
        **{
            f"evidence/{folder.resolve().name}": partial(evidence_recall, folder, sample=sample)
            for folder in evidence
        },
        **({"faults": fault_counts} if faults else {}),
    }


def commit_of(root: Path) -> str:
    """The commit of a checkout, with "-dirty" if tracked files were changed."""
    command = ["git", "-C", str(root), "describe", "--always", "--abbrev=40", "--dirty"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def command_count(root: Path) -> int:
    """The number of commands of the `secondhop` script; those in groups count, groups do not."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module = import_module(project["scripts"]["secondhop"].partition(":")[0])
    waiting: list[Any] = [typer.main.get_command(module.app)]
    count = 0
    while waiting:
        inside: dict[str, Any] | None = getattr(waiting.pop(), "commands", None)
        count += inside is None
        waiting.extend((inside or {}).values())
    return count


def golden_files() -> list[Path]:
    """The golden traces, with which tests compare whole recalls."""
    return sorted((ROOT / "tests" / "golden").glob("*"))


def sizes(scenario: Path) -> Figures:
    """Bytes of a store with one scenario, and mean bytes of a recall's trace."""
    with TemporaryDirectory() as folder:
        store = Path(folder)
        store_scenario(scenario, store)
        stored, traced = bytes_below(store), bytes_below(store, of_traces=True)
        questions = questions_of(scenario)
        asyncio.run(ask(store, questions))
        grown = bytes_below(store, of_traces=True) - traced
        return {"store_bytes": stored, "trace_bytes": grown // len(questions)}


def bytes_below(folder: Path, *, of_traces: bool = False) -> int:
    """The size of all files, or of those with "trace" in their path."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return sum(
        path.stat().st_size
        for path in files
        if not of_traces or "trace" in str(path.relative_to(folder))
    )


async def ask(store: Path, questions: Sequence[str]) -> None:
    """Recall each question once."""
    async with await Recall.aopen(store) as recall:
        for question in questions:
            await recall.arecall(question)


def scenario_means(place: Path) -> Figures:
    """Offline measures of each scenario in a folder, their means, and digests of the rankings."""
    folders = sorted(path.parent for path in place.glob("*/conversations.jsonl"))
    found = json.loads(command_line("eval", "scenarios", *map(str, folders), "--json"))
    means = {name: report["mean"] for name, report in found.items()}
    measures = next(iter(means.values()))
    return {
        "mean": {measure: fmean(mean[measure] for mean in means.values()) for measure in measures},
        **means,
        "returned": returned(found),
    }


def evidence_recall(folder: Path, *, sample: int | None) -> Figures:
    """Evidence recall per token budget over the questions of a set, and digests of the rankings."""
    with TemporaryDirectory() as place:
        part = sampled(folder, Path(place) / folder.resolve().name, count=sample)
        found = json.loads(module_output("benchmarks.evidence", str(part), "--json"))
    means = {name: dict(report["recall"]["all"]) for name, report in found.items()}
    (mean,) = means.values()
    return {"questions": mean.pop("questions"), "mean": mean, "returned": returned(found)}


def sampled(folder: Path, copy: Path, *, count: int | None) -> Path:
    """A copy of an evidence set with a fixed sample of `count` questions; None: all."""
    copy.mkdir()
    (copy / "items.jsonl").symlink_to((folder / "items.jsonl").resolve())
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    if count is not None and count < len(lines):
        lines = random.Random(SEED).sample(lines, count)
    (copy / "questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return copy


def returned(reports: Mapping[str, Any]) -> dict[str, str]:
    """{question id: digest of its ranking}."""
    return {
        question: digest(json.dumps(ranking))
        for report in reports.values()
        for question, ranking in report["results"].items()
    }


def digest(text: str) -> str:
    """The first 12 hexadecimal digits of the SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def fault_counts() -> Figures:
    """How many tests of faults (killed processes, broken servers) passed, failed, were skipped."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "junit.xml"
        options = ["-n0", "-q", "-m", "slow", "-k", FAULT_TESTS, f"--junitxml={file}"]
        subprocess.run([sys.executable, "-m", "pytest", *options], cwd=ROOT, check=False)
        suites = list(ElementTree.parse(file).getroot().iter("testsuite"))
    total, failed, errors, skipped = (
        sum(int(suite.get(name, "0")) for suite in suites)
        for name in ("tests", "failures", "errors", "skipped")
    )
    return {
        "passed": total - failed - errors - skipped,
        "failed": failed + errors,
        "skipped": skipped,
    }

"""Measures whether other people label the benchmark as its authors did.

    python -m benchmarks.agreement sheet --part 1/2 > sheet1.txt     # without the labels
    python -m benchmarks.agreement kappa benchmarks/second_hop/agreement/labels*.txt

Labels are lines of `number grade`, where the number is that of a pair, from 1. The benchmark's own
label of a pair is the memory's best grade for any facet of the question, or 0. The pairs, in
`second_hop/agreement/pairs.jsonl`, were drawn once: for three questions of each person an essential
memory, a less relevant one, an unlabelled one that is similar to the question, and another one.
"""

import argparse
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations
from pathlib import Path

import numpy as np

from secondhop.evals.scenario import Line, Question, load_scenario, read_lines
from secondhop.stores.records import Memory

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
PAIRS_FILE = Path(__file__).parent / "second_hop" / "agreement" / "pairs.jsonl"
USEFUL = 2
"""The lowest grade at which a memory serves a facet."""
RESAMPLES = 2000

HOW = """\
Each block is a question that somebody asked their assistant, and memories of that person.
For each memory: would it belong among the few that the assistant reads before it answers?
  3  essential: the answer would be wrong or clearly worse without it
  2  useful: the answer gets better by it
  1  marginal: on the subject, but the answer would hardly change
  0  not relevant
A memory may help although the question does not name its subject. Judge it as it stands on the
day of the question. Write one line a memory, its number and the grade: "17 2".
"""


class Pair(Line):
    """A memory to be judged for a question."""

    folder: str
    """Relative to `examples`."""
    question: str
    memory: str


Labels = dict[int, int]
"""{number of the pair: grade}."""


def grades_of(question: Question) -> dict[str, int]:
    """{memory id: its best grade for any facet}; only labelled memories."""
    grades: dict[str, int] = {}
    for facet in question.facets:
        for memory_id, grade in facet.relevant.items():
            grades[memory_id] = max(grade, grades.get(memory_id, 0))
    return grades


def as_text(memory: Memory) -> str:
    """The title and all messages."""
    turns = memory.messages
    said = (turn.content if len(turns) == 1 else f"{turn.role}: {turn.content}" for turn in turns)
    return "\n".join([memory.title, *said])


def sheet(pairs: Mapping[int, Pair]) -> Iterator[str]:
    """The pairs as text for a labeller, without the labels."""
    yield HOW
    asked = ""
    for number, pair in pairs.items():
        scenario = load_scenario(EXAMPLES / pair.folder, cues=False)
        question = next(one for one in scenario.questions if one.id == pair.question)
        if question.id != asked:
            asked = question.id
            yield f"{'=' * 80}\nQUESTION, {question.asked_at:%Y-%m-%d}: {question.query}\n"
        memory = next(one for one in scenario.memories if one.memory_id == pair.memory)
        yield f"--- {number} ({memory.source}, {memory.created_at:%Y-%m-%d})\n{as_text(memory)}\n"


def authors(pairs: Mapping[int, Pair]) -> Labels:
    """The benchmark's own labels of the pairs."""
    labels: Labels = {}
    for number, pair in pairs.items():
        questions = load_scenario(EXAMPLES / pair.folder, cues=False).questions
        question = next(one for one in questions if one.id == pair.question)
        labels[number] = grades_of(question).get(pair.memory, 0)
    return labels


def read_labels(path: Path) -> Labels:
    """The labels in a file; lines that are not a number and a grade are ignored."""
    found = re.findall(r"^\s*(\d+)\s+([0-3])\s*$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {int(number): int(grade) for number, grade in found}


def kappa(pairs: Sequence[tuple[int, int]], *, weighted: bool) -> float:
    """Cohen's kappa of the grades with squared weights, or else of "useful or not"."""
    levels = 4 if weighted else 2
    seen = np.zeros((levels, levels))
    for one, other in pairs:
        cell = (one, other) if weighted else (int(one >= USEFUL), int(other >= USEFUL))
        seen[cell] += 1
    by_chance = np.outer(seen.sum(1), seen.sum(0)) / seen.sum()
    cost = np.square(np.subtract.outer(np.arange(levels), np.arange(levels)))
    return float(1 - (cost * seen).sum() / (cost * by_chance).sum())


def interval(blocks: Sequence[Sequence[tuple[int, int]]]) -> tuple[float, float]:
    """95 % bootstrap interval of the binary kappa; each block (one question) is resampled whole."""
    chance = random.Random(0)
    draws = (chain.from_iterable(chance.choices(blocks, k=len(blocks))) for _ in range(RESAMPLES))
    found = [kappa(list(draw), weighted=False) for draw in draws]
    low, high = np.nanpercentile(found, [2.5, 97.5])
    return float(low), float(high)


def compared(pairs: Mapping[int, Pair], labellers: Mapping[str, Labels]) -> Iterator[str]:
    """A Markdown table: a row for every two labellers who judged the same pairs."""
    yield "| | pairs | same side | kappa, useful or not (95 %) | weighted kappa of grades |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for one, other in combinations(labellers, 2):
        mine, theirs = labellers[one], labellers[other]
        both = sorted(mine.keys() & theirs.keys() & pairs.keys())
        if not both:
            continue
        blocks: dict[str, list[tuple[int, int]]] = {}
        for number in both:
            blocks.setdefault(pairs[number].question, []).append((mine[number], theirs[number]))
        every = [pair for block in blocks.values() for pair in block]
        same = sum((a >= USEFUL) == (b >= USEFUL) for a, b in every) / len(every)
        low, high = interval(list(blocks.values()))
        yield (
            f"| {one}, {other} | {len(every)} | {same:.0%} "
            f"| {kappa(every, weighted=False):.2f} ({low:.2f} to {high:.2f}) "
            f"| {kappa(every, weighted=True):.2f} |"
        )


def arguments() -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("sheet").add_argument("--part", default="1/1", help="such as 2/3")
    commands.add_parser("kappa").add_argument("labels", nargs="+", type=Path)
    return parser.parse_args()


def main() -> None:
    """Run the command."""
    wanted = arguments()
    pairs = dict(enumerate((pair for _, pair in read_lines(PAIRS_FILE, Pair)), start=1))
    if wanted.command == "sheet":
        part, parts = map(int, wanted.part.split("/"))
        size = -(-len(pairs) // parts)
        print("\n".join(sheet(dict(list(pairs.items())[(part - 1) * size : part * size]))))
        return
    labellers = {"authors": authors(pairs)} | {
        path.stem: read_labels(path) for path in wanted.labels
    }
    print("\n".join(compared(pairs, labellers)))


if __name__ == "__main__":
    main()

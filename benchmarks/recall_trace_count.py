"""How many files and functions of secondhop one warm offline recall runs through.

    python -m benchmarks.recall_trace_count [--list] [SCENARIO]

With --list they are named. A move is a call from one file of secondhop into another; resuming a
coroutine after an `await` is not a call. Worker threads are counted. Lambdas, comprehensions and
generated methods are not, because their frames differ between versions of Python.
"""

import argparse
import asyncio
import json
import sys
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Self

from secondhop import Recall

SCENARIO = Path(__file__).resolve().parents[1] / "examples" / "scenarios" / "carefeed"


class CallCounter:
    """Counts calls of secondhop's functions while `counting` is true."""

    def __init__(self) -> None:
        self.counting = False
        self.files: set[str] = set()
        self.functions: set[tuple[str, str]] = set()
        self.moves = 0

    def __enter__(self) -> Self:
        threading.setprofile(self._seen)  # for threads that start later
        sys.setprofile(self._seen)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)

    def _seen(self, frame: FrameType, event: str, _: object) -> None:
        if not self.counting or event != "call" or not (file := module_of(frame)):
            return
        if not is_written_call(frame):
            return
        self.files.add(file)
        self.functions.add((file, frame.f_code.co_qualname))
        self.moves += frame.f_back is not None and module_of(frame.f_back) not in {"", file}

    def figures(self) -> dict[str, int]:
        """The numbers of files, functions and moves."""
        return {"files": len(self.files), "functions": len(self.functions), "moves": self.moves}


def module_of(frame: FrameType) -> str:
    """The module of secondhop that the frame runs in; "" for other code."""
    name = str(frame.f_globals.get("__name__", ""))
    return name if name.startswith("secondhop.") else ""


def is_written_call(frame: FrameType) -> bool:
    """Whether a call of a function in a source file begins; the argument of RESUME is then 0."""
    code = frame.f_code
    if code.co_name.startswith("<") or code.co_filename.startswith("<"):
        return False
    return code.co_code[frame.f_lasti + 1] & 3 == 0


async def warm_recall(scenario: Path) -> CallCounter:
    """Counts a recall of the first question, after every question was asked once."""
    lines = (scenario / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    questions: list[str] = [json.loads(line)["query"] for line in lines if line.strip()]
    with TemporaryDirectory() as folder, CallCounter() as counter:
        async with await Recall.aopen(folder) as recall:
            await recall.aingest(scenario / "conversations.jsonl")
            for question in questions:
                await recall.arecall(question)
            counter.counting = True
            await recall.arecall(questions[0])
            counter.counting = False
    return counter


def by_file(functions: Sequence[tuple[str, str]]) -> Mapping[str, Sequence[str]]:
    """{file: its functions}, both sorted by name."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for file, function in sorted(functions):
        found[file].append(function)
    return found


def main() -> None:
    """Print the figures, and with --list the names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", nargs="?", type=Path, default=SCENARIO)
    parser.add_argument("--list", action="store_true", help="name every file and function")
    given = parser.parse_args()
    counter = asyncio.run(warm_recall(given.scenario))
    if given.list:
        for file, functions in by_file([*counter.functions]).items():
            sys.stdout.write(f"{file} ({len(functions)}): {', '.join(functions)}\n")
    sys.stdout.write(json.dumps(counter.figures(), indent=2) + "\n")


if __name__ == "__main__":
    main()

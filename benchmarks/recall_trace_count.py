"""How many files and functions of secondhop one warm offline recall passes.

    python -m benchmarks.recall_trace_count [SCENARIO]

A move is a call from one file of secondhop into another; a coroutine that goes on after an `await`
is not called again. Worker threads are counted. Lambdas, comprehensions and generated methods are
not: other versions of Python run other frames for them.
"""

import asyncio
import json
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Self

from benchmarks.example_store import SCENARIO, questions_of, store_scenario

from secondhop import Recall


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
        """What was counted."""
        return {"files": len(self.files), "functions": len(self.functions), "moves": self.moves}


def module_of(frame: FrameType) -> str:
    """The module of secondhop that the frame runs in; "" for anyone else's."""
    name = str(frame.f_globals.get("__name__", ""))
    return name if name.startswith("secondhop.") else ""


def is_written_call(frame: FrameType) -> bool:
    """Whether a function that stands in a file begins: then the argument of RESUME is 0."""
    code = frame.f_code
    if code.co_name.startswith("<") or code.co_filename.startswith("<"):
        return False
    return code.co_code[frame.f_lasti + 1] & 3 == 0


async def passed(store: Path, questions: Sequence[str]) -> dict[str, int]:
    """What the recall of the first question passes after every question was asked once."""
    with CallCounter() as counter:
        async with await Recall.aopen(store) as recall:
            for question in questions:
                await recall.arecall(question)
            counter.counting = True
            await recall.arecall(questions[0])
            counter.counting = False
    return counter.figures()


def straightness(scenario: Path = SCENARIO) -> dict[str, int]:
    """{"files", "functions", "moves"} for the first question of a scenario."""
    with TemporaryDirectory() as folder:
        store_scenario(scenario, Path(folder))
        return asyncio.run(passed(Path(folder), questions_of(scenario)))


if __name__ == "__main__":
    figures = straightness(Path(sys.argv[1]) if len(sys.argv) > 1 else SCENARIO)
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")

"""Teaches a file of lessons without end, or until it is told a number: a process to kill.

Usage: python learning_writer.py FILE COUNT ("" for no end)
"""

import asyncio
import sys
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import numpy as np

from secondhop.stores.learning import LearningStore
from secondhop.stores.lessons import (
    LearnedContext,
    LearningChange,
    LearningState,
    Lessons,
    Weight,
)


def one_more(known: LearningState) -> LearningChange:
    """One session more: every sum grows by one."""
    sessions = known.contexts[0].lessons.sessions if known.contexts else 0.0
    lessons = Lessons(
        at=datetime(2026, 1, 1, tzinfo=UTC),
        sessions=sessions + 1,
        weights={f"memory-{n}": Weight(good=sessions + 1) for n in range(50)},
    )
    vector = np.eye(1, 16, dtype=np.float32)[0]
    context = LearnedContext(context_id="c", embedder_id="e", vector=vector, lessons=lessons)
    return LearningChange(kept=[context])


async def teach(path: Path, turns: int | None) -> None:
    """Print a line a lesson."""
    store = LearningStore(path)
    for turn in count():
        if turn == turns:
            break
        await store.change(one_more)
        print(turn, flush=True)
    await store.aclose()


if __name__ == "__main__":
    asyncio.run(teach(Path(sys.argv[1]), int(sys.argv[2]) if sys.argv[2] else None))

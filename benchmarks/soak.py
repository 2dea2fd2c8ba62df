"""Measures whether a process grows over thousands of recalls with different questions.

    python -m benchmarks.soak                     # 5,000 recalls, some minutes

Goal: after the first 500 recalls, the RAM of the process stays within 5 %.
"""

import argparse
import asyncio
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.speed import rss_mb
from benchmarks.speed_place import Place, fill_secondhop, loaded
from benchmarks.speed_systems import secondhop

SETTLED = 500


async def soak(place: Place, *, recalls: int) -> None:
    """Print the RAM every 500 recalls, and its largest deviation from that after the first 500."""
    models = await loaded()
    await fill_secondhop(place, models, cues=True)
    questions = models.base.questions
    taken: list[float] = []
    begun = time.process_time()
    async with partial(secondhop, cues=True, effort="none")(place, models) as ask:
        for number in range(1, recalls + 1):
            await ask(f"{questions[number % len(questions)]} ({number})", "e0")
            if not number % SETTLED:
                taken.append(rss_mb())
                each = 1e3 * (time.process_time() - begun) / number
                print(f"{number:6,} recalls: {taken[-1]:.0f} MB, {each:.0f} ms of processor each")
    apart = max(abs(one / taken[0] - 1) for one in taken)
    print(f"at most {apart:.1%} from what it was after {SETTLED}")


def main() -> None:
    """Run it in a temporary folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--recalls", type=int, default=5_000)
    parser.add_argument("--passages", type=int, default=1_000)
    wanted = parser.parse_args()
    with TemporaryDirectory(prefix="secondhop-soak-", ignore_cleanup_errors=True) as name:
        place = Place(folder=Path(name), passages=wanted.passages, entities=1, model_url="")
        asyncio.run(soak(place, recalls=wanted.recalls))


if __name__ == "__main__":
    main()

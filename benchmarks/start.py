"""How long a command takes to start, beside Python itself: processor time, which load moves least.

    python -m benchmarks.start [REPEATS]

The import of the library, a help page, and one whole recall without a model from a stored example.
"""

import os
import statistics
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.example_store import ROOT, SCENARIO, questions_of, store_scenario


def processor_s(arguments: list[str]) -> float:
    """User and system time of one run of Python with these arguments."""
    paths = [str(ROOT / "tools" / "typeroot"), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    before = os.times()
    subprocess.run(
        [sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment
    )
    after = os.times()
    return (
        after.children_user
        + after.children_system
        - (before.children_user + before.children_system)
    )


def main(repeats: int) -> None:
    """Print the median of each, and how many times Python's own start it is."""
    with TemporaryDirectory() as folder:
        store_scenario(SCENARIO, Path(folder))
        offline = ["--store", folder, "--llm", "offline"]
        programs = {
            "python -c pass": ["-c", "pass"],
            "import secondhop": ["-c", "import secondhop"],
            "secondhop --help": ["-m", "secondhop", "--help"],
            "secondhop recall": ["-m", "secondhop", "recall", questions_of(SCENARIO)[0], *offline],
        }
        taken: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(repeats + 1):  # the first round only warms what the system keeps of files
            for name, arguments in programs.items():
                taken[name].append(processor_s(arguments))
    bare = statistics.median(taken["python -c pass"][1:])
    for name, seconds in taken.items():
        median = statistics.median(seconds[1:])
        print(f"{name:20}{median * 1e3:8.0f} ms of processor time{median / bare:8.1f} × Python")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)

"""From mem0 to secondhop and back: ingest an export of mem0, ask, and export in mem0's format.

    python examples/cookbook/from_mem0.py                       # a small file in mem0's format
    python examples/cookbook/from_mem0.py mem0.json --embedder default

Write the file in your old program, one per user:

    json.dump(memory.get_all(filters={"user_id": "ana"}, top_k=100_000), open("mem0.json", "w"))
"""

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from secondhop import Recall

DAY = "2026-01-05T10:00:00+00:00"
ROWS = {
    "m1": "Is preparing for an interview at Carefeed, which sells software to nursing homes",
    "m2": "Led a team of six and cut the time of a release from weeks to a day",
    "m3": "Plans to cut onboarding at Carefeed from nine weeks to four",
    "m4": "Waters the tomatoes twice a week",
}
QUESTION = "Help me prepare for my Carefeed interview"


def sample(folder: Path) -> Path:
    """A file with what mem0's `Memory.get_all` returns."""
    rows: list[dict[str, Any]] = [
        {"id": name, "memory": text, "user_id": "ana", "metadata": {}, "created_at": DAY}
        for name, text in ROWS.items()
    ]
    path = folder / "mem0.json"
    path.write_text(json.dumps({"results": rows}), encoding="utf-8")
    return path


def main(file: Path | None, embedder: str) -> None:
    """Ingest twice (nothing is stored twice), ask, and export in mem0's format."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Recall.open(folder / "store", entity="ana", embedder=embedder) as recall:
            for _ in range(2):
                ledger = recall.ingest([file or sample(folder)])
                print(f"stored {ledger.stored}, unchanged {ledger.unchanged}")
            result = recall.recall(QUESTION, k=3)
            for found in result.memories:
                print(f"- {found.evidence[0].text}\n    {found.why}")
            back = recall.admin.export_as("mem0")
            print(f"back in mem0's form: {len(back['results'])} memories")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--embedder", default="hashing")
    given = parser.parse_args()
    main(given.file, given.embedder)

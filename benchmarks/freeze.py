"""Figures that a redesign must not make worse: record them before and after, then compare.

    python -m benchmarks.freeze record --out before.json
    python -m benchmarks.freeze record --out before.json --evidence DIR... --sample 60
    python -m benchmarks.freeze record --out before.json --only shape,scenarios
    python -m benchmarks.freeze compare before.json after.json

A second run on the same commit adds its parts to the file. Each part is written once it is ready.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.example_store import ROOT
from benchmarks.freeze_compare import table, worse
from benchmarks.freeze_parts import commit_of, parts_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Record or compare; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="measure this checkout")
    recording.add_argument("--out", type=Path, required=True)
    recording.add_argument("--only", help="parts, separated by commas")
    recording.add_argument("--evidence", type=Path, nargs="*", default=[], help="evidence sets")
    recording.add_argument("--sample", type=int, help="questions of each set; default all")
    recording.add_argument("--faults", action="store_true", help="also run the tests of faults")
    comparing = commands.add_parser("compare", help="exit 1 when a quality mean fell")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    given = parser.parse_args(arguments)
    if given.command == "compare":
        return compare(given.before, given.after)
    parts = parts_of(evidence=given.evidence, sample=given.sample, faults=given.faults)
    only = set(given.only.split(",") if given.only else [part.split("/")[0] for part in parts])
    if unknown := only - {part.split("/")[0] for part in parts}:
        parser.error(f"nothing to record for {', '.join(sorted(unknown))}")
    record = started(given.out, commit=commit_of(ROOT))
    for part, measure in parts.items():
        if part.split("/")[0] in only:
            print(part, flush=True)
            record[part] = measure()
            given.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0


def started(out: Path, *, commit: str) -> dict[str, object]:
    """The record in `out` if it is of this commit, or else a new one."""
    if out.exists():
        record: dict[str, object] = json.loads(out.read_text(encoding="utf-8"))
        if record["commit"] == commit:
            return record
    return {"commit": commit}


def compare(before: Path, after: Path) -> int:
    """Print both records side by side; returns 1 if a quality mean got worse, otherwise 0."""
    old, new = (json.loads(path.read_text(encoding="utf-8")) for path in (before, after))
    for line in table(old, new):
        print(line, flush=True)
    fallen = worse(old, new)
    print(f"\nworse: {', '.join(fallen) or 'nothing'}", flush=True)
    return int(bool(fallen))


if __name__ == "__main__":
    raise SystemExit(main())

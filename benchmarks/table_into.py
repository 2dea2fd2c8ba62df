"""Puts measured tables into documents, in place of the text between two marks."""

from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "benchmarks.md"


def put(path: Path, name: str, lines: Sequence[str]) -> None:
    """Write `lines` between `<!-- NAME -->` and `<!-- end of NAME -->`.

    Raises:
        SystemExit: the marks are missing, repeated or in the wrong order.
    """
    text = path.read_text(encoding="utf-8")
    first, last = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    before, opened, rest = text.partition(first)
    _, closed, after = rest.partition(last)
    if not opened or not closed or first in rest:
        raise SystemExit(
            f"{path} has no place for {name!r}: write {first.strip()} there, and its end"
        )
    block = "\n".join(lines).strip("\n")
    path.write_text(f"{before}{first}\n{block}\n\n{last}{after}", encoding="utf-8")

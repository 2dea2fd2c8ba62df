"""Scenarios and other labelled sets as files, and the rows of a small scenario."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

TEXTS = {
    "plan": "My plan for the Carefeed job: cut onboarding from nine weeks to four.",
    "research": "Carefeed sells communication software to nursing homes.",
    "research-again": "Carefeed sells nursing homes their communication software.",
    "résumé": "Résumé: eight years of product, led teams of twelve, two launches.",
    "garden": "The tomatoes need water twice a week; the basil is in the shade.",
}

QUESTION: dict[str, Any] = {
    "id": "q-1",
    "query": "my Carefeed plan, their software for nursing homes, my résumé of product launches",
    "asked_at": "2025-11-17T13:00:00Z",
    "k": 3,
    "facets": [
        {"name": "employer", "why": "w", "hop": 1, "relevant": {"research": 3}},
        {"name": "own plan", "why": "w", "hop": 2, "relevant": {"plan": 3}},
        {"name": "track record", "why": "w", "hop": 2, "relevant": {"résumé": 3}},
    ],
    "redundant": [["research", "research-again"]],
    "stale": {},
}


def memory_row(
    memory_id: str, text: str, *, title: str = "", source: str = "note"
) -> dict[str, Any]:
    """The row of a memory with one message; its title is its id unless given."""
    return {
        "id": memory_id,
        "title": title or memory_id,
        "source": source,
        "created_at": "2025-11-01T10:00:00Z",
        "messages": [{"role": "user", "content": text}],
    }


def write_rows(folder: Path, **files: Iterable[object]) -> Path:
    """Write a `.jsonl` file for each name, replacing old ones; returns the folder."""
    folder.mkdir(exist_ok=True)
    for name, rows in files.items():
        lines = "\n".join(json.dumps(row) for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder

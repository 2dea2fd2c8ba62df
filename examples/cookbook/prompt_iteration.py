"""Improve a prompt and measure the gain: one more sentence in `expand`, tried on three questions.

    python examples/cookbook/prompt_iteration.py

The model is scripted: it plans beyond the question only if its prompt has the new sentence. With a
real model, and questions of your own (`secondhop eval new`):

    secondhop prompts show expand > better.md       # then change it
    secondhop eval scenarios my/scenario --prompt better.md --llm openai:gpt-4.1-mini

Needs `pip install 'secondhop[eval]'`.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from scripted_server import scripted_server
from secondhop.prompts.templates import shipped_prompt

SENTENCE = "Think of what people wish they had looked up first."
NEEDED = {
    "Help me prepare for my interview": "Résumé: eight years of product, teams led, two launches.",
    "What shall I bake for Mia?": "Allergy list: walnuts give a rash, milk is fine.",
    "Plan the walk with Dad": "The doctor says of the knee: no stairs, at most an hour.",
}
"""{question: a memory that it needs but does not mention}."""
OTHERS = ["I bake on Sundays.", "Dad and I walk on Fridays.", "Interview clothes: blue suit."]
DAY, NOW = "2026-01-05T10:00:00Z", "2026-02-01T10:00:00Z"


def reply(schema: str, prompt: str) -> dict[str, Any]:
    if schema.startswith("Decompose"):
        return {"kind": "conceptual"}
    if schema.startswith("Expand"):
        ideas = [text for asked, text in NEEDED.items() if asked in prompt and SENTENCE in prompt]
        facets = [{"name": "before", "why": "It helps.", "queries": ideas}] if ideas else []
        return {"intent": "be ready", "facets": facets}
    return {"votes": [{"id": one, "vote": "hot"} for one in re.findall(r"<memory (\w+)>", prompt)]}


def scenario(folder: Path) -> Path:
    """Write a scenario: six notes, and three questions labelled with the note that each needs."""
    notes: list[dict[str, Any]] = [
        {"id": f"n{i}", "title": "", "source": "note", "created_at": DAY}
        | {"messages": [{"role": "user", "content": text}]}
        for i, text in enumerate([*NEEDED.values(), *OTHERS])
    ]
    questions: list[dict[str, Any]] = [
        {"id": f"q{i}", "query": asked, "asked_at": NOW, "k": 1, "redundant": [], "stale": {}}
        | {"facets": [{"name": "f", "why": "w", "hop": 2, "relevant": {f"n{i}": 3}}]}
        for i, asked in enumerate(NEEDED)
    ]
    for name, rows in {"conversations": notes, "queries": questions}.items():
        lines = "\n".join(json.dumps(row) for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder


def main() -> None:
    """Compare the shipped prompt with one that has the sentence."""
    with scripted_server(reply) as address, tempfile.TemporaryDirectory() as folder:
        better, text = Path(folder) / "better.md", shipped_prompt("expand").text
        better.write_text(text.replace("---\nYou", f"---\n{SENTENCE} You", 1), encoding="utf-8")
        tried = [scenario(Path(folder)), "--prompt", better, "--answers", folder]
        model = ["--llm", "openai:scripted", "--embedder", "hashing"]
        command = [sys.executable, "-m", "secondhop", "eval", "scenarios", *tried, *model]
        environment = {**os.environ, "OPENAI_BASE_URL": address, "OPENAI_API_KEY": "none"}
        subprocess.run(list(map(str, command)), env=environment, stderr=sys.stdout, check=True)


if __name__ == "__main__":
    main()

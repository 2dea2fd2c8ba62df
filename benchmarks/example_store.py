"""Stores an example scenario, and runs the command line of this checkout."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCENARIO = ROOT / "examples" / "scenarios" / "carefeed"


def command_line(*arguments: str) -> str:
    """The output of `secondhop ARGUMENTS...`, run from this checkout without a language model."""
    return module_output("secondhop", *arguments)


def module_output(module: str, *arguments: str) -> str:
    """The output of `python -m MODULE ARGUMENTS...`, run in the same way."""
    paths = [str(ROOT / "tools" / "typeroot"), str(ROOT), os.environ.get("PYTHONPATH", "")]
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("OPENAI_", "SECONDHOP_"))
    }
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env=kept | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
    )
    return done.stdout


def store_scenario(scenario: Path, store: Path) -> None:
    """Ingest the memories of a scenario folder into a new store."""
    command_line("ingest", str(scenario / "conversations.jsonl"), "--store", str(store), "--json")


def questions_of(scenario: Path) -> list[str]:
    """The questions of a scenario folder."""
    lines = (scenario / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [str(json.loads(line)["query"]) for line in lines if line.strip()]

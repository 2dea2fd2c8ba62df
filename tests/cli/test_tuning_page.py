"""The commands of docs/tuning.md run one after another, with a model on this machine."""

import re
import shlex
from pathlib import Path

import pytest
from tests.annotate.cue_writer import rows_for
from tests.cli.model_server import ModelServer
from tests.cli.prompt_lab import TEXTS
from tests.command_line import Cli
from tests.docs.test_blocks import REPO, blocks

from secondhop import Recall
from secondhop.testing import note

COMMANDS = [
    line for block in blocks(REPO / "docs" / "tuning.md", "sh") for line in block.splitlines()
]


def all_hot(_system: str, user: str) -> object:
    votes = [{"id": one, "vote": "hot"} for one in re.findall(r"<memory (\w+)>", user)]
    return {"votes": votes, "new_queries": [], "go_on": False}


def test_the_steps_of_the_page_lead_from_one_to_the_next(
    model_cli: Cli, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.replies["AnnotateReply"] = lambda _system, user: rows_for(user)
    model.replies["CritiqueReply"] = all_hot
    monkeypatch.setenv("SECONDHOP_STORE", "memory")
    with Recall.open("memory", embedder="hashing") as recall:
        recall.add([note(name, text) for name, text in TEXTS.items()])

    for line in COMMANDS:
        command, _, file = line.partition(" > ")
        _, *words = shlex.split(command, comments=True)
        done = model_cli(*words, given="what to tell: 1 2u\n\nq\n")
        assert done.exit_code == 0, (line, done.output)
        if file:
            Path(file.split()[0]).write_text(done.stdout, encoding="utf-8")

    assert len(COMMANDS) == 10
    assert {"AnnotateReply", "CritiqueReply"} <= set(model.asked())

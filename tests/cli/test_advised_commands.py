"""A command that a message advises works as printed, on the same memory that was asked."""

import re
from pathlib import Path
from shlex import split

import pytest
from tests.command_line import Cli, document
from tests.evals.scenario_files import QUESTION, memory_row, write_rows

from secondhop.errors import EmbedderMismatchError

FAR = "2026-02-03 Ana's allergy `nuts`.md"
NOTES = {
    "plan one.md": "My plan: hire two nurses who know the wards by May.",
    "plan two.md": "The plan of Carefeed for onboarding took nine weeks last year.",
    "plan three.md": "Prices rise in autumn, said the Carefeed plan that Bo drew up.",
    "plan four.md": "We moved house, so the plan to paint the kitchen has to wait.",
    "plan five.md": "Mum asked about my plan; she would rather I stayed in Leeds.",
}
ELSEWHERE = ("--store", "my notes", "--entity", "mara", "--embedder", "hashing")
"""Options for a store, entity and model other than the defaults."""


@pytest.fixture
def elsewhere(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs commands in a folder whose memory only the options `ELSEWHERE` open."""
    monkeypatch.delenv("SECONDHOP_EMBEDDER")
    rows = [memory_row(name, text) for name, text in {**NOTES, FAR: "Ana eats no nuts."}.items()]
    notes = write_rows(tmp_path / "notes", notes=rows) / "notes.jsonl"
    assert cli("ingest", notes, *ELSEWHERE).exit_code == 0
    return cli


def advised(text: str) -> list[str]:
    """The words of the command on a memory that a text advises, split as a shell does."""
    found = re.search(r"secondhop ((?:explain|cues|update) .*?)(?:`?$|` )", text, re.MULTILINE)
    assert found, text
    return split(found[1])


def test_the_hint_of_recall_and_the_change_that_explain_names_can_be_pasted(
    elsewhere: Cli,
) -> None:
    asked = elsewhere("recall", "my Carefeed plan", "--k", "1", *ELSEWHERE)
    hint = advised(asked.stdout)
    explained = elsewhere(*hint)
    far = elsewhere("explain", hint[1], FAR, *ELSEWHERE)
    pasted = elsewhere(*advised(far.stdout))

    assert explained.exit_code == 0, explained.stderr
    assert pasted.exit_code == 0, (far.stdout, pasted.stderr)
    cues = document(elsewhere("cues", FAR, *ELSEWHERE, "--json"))["cues"]
    assert [cue["text"] for cue in cues] == ["my Carefeed plan"]
    again = document(elsewhere("recall", "my Carefeed plan", "--k", "2", *ELSEWHERE, "--json"))
    assert FAR in [one["id"] for one in again["memories"]]


def test_commands_in_errors_name_the_memory_too(elsewhere: Cli) -> None:
    refused = elsewhere("cues", "--remove", "nothing:0", *ELSEWHERE)

    assert "`secondhop cues --store 'my notes' --entity mara --embedder hashing`" in refused.stderr


def test_a_store_s_address_is_quoted_where_its_rebuilding_is_advised() -> None:
    store = "postgresql:///memories?host=/tmp&port=5433"
    error = EmbedderMismatchError(built_with="a", opened_with="b", store=store)

    assert f"`secondhop reindex --store '{store}'`" in str(error)


def test_an_evaluation_advises_no_command_on_a_store_that_is_gone(cli: Cli, tmp_path: Path) -> None:
    rows = [memory_row(name, text) for name, text in {**NOTES, FAR: "Ana eats no nuts."}.items()]
    facet = {"name": "allergy", "why": "w", "hop": 2, "relevant": {FAR: 3}}
    asked = {**QUESTION, "query": "my plan", "k": 1, "facets": [facet], "redundant": []}
    folder = write_rows(tmp_path / "dinner", conversations=rows, queries=[asked])

    told = cli("eval", "scenarios", folder, "--per-question")

    assert told.exit_code == 0, told.output
    assert "add a cue, which may lift it" in told.stdout
    assert "secondhop cues" not in told.stdout

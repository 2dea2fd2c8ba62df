"""A memory that did not come back is found by its title or its words, and then explained."""

from pathlib import Path

import pytest
from tests.command_line import Cli, document, over
from tests.evals.scenario_files import memory_row, write_rows

QUESTION = "What shall I cook on Sunday?"
ALLERGY = "2026-02-03 allergy.md"
KEPT = {
    ALLERGY: ("Ana allergy", "She eats no nuts."),
    "party.md": ("Ana's party", "Bo brings the allergy pills."),
    "leeds.md": ("Leeds", "The 9:14 is the only train without a change."),
    "pills-15.md": ("Pills", "Ana takes 10 mg in the\nmorning, at 5 in the evening."),
    "dose.md": ("Dose", "Ana took 5 mg in the\nmorning until then."),
}


@pytest.fixture
def trace(cli: Cli, tmp_path: Path) -> str:
    """The id of the trace of a recall that returned one of five memories."""
    rows = [memory_row(name, text, title=title) for name, (title, text) in KEPT.items()]
    rows[2]["created_at"] = "2026-01-01T10:00:00Z"
    assert cli("ingest", write_rows(tmp_path / "notes", n=rows) / "n.jsonl").exit_code == 0
    return str(document(cli("recall", QUESTION, "--k", "1", "--json"))["trace_id"])


@pytest.mark.parametrize(
    ("words", "memory_id"),
    [
        ("leeds.md", "leeds.md"),
        ("Ana allergy", ALLERGY),
        ("ana  ALLERGY", ALLERGY),
        ("party ana", "party.md"),
        ("train leeds", "leeds.md"),
        ("allergy", ALLERGY),
        ("5 mg in the morning", "dose.md"),
    ],
)
def test_explain_takes_an_id_a_title_or_words_that_one_memory_has(
    cli: Cli, trace: str, words: str, memory_id: str
) -> None:
    told = document(cli("explain", trace, words, "--json"))
    shown = cli("explain", trace, words)

    assert told["memory_id"] == memory_id
    assert (f"is taken to mean the memory {memory_id}" in shown.stderr) is (words != memory_id)


def test_words_of_several_memories_list_their_ids(cli: Cli, trace: str) -> None:
    refused = cli("explain", trace, "ana")

    assert refused.exit_code == 2
    assert "2 memories have the words 'ana'; give the id of one: " in refused.stderr
    assert f"'{ALLERGY}' “Ana allergy”" in refused.stderr
    assert "'party.md' “Ana's party”" in refused.stderr


def test_an_unknown_trace_is_said_to_be_unknown_whatever_the_words(cli: Cli, trace: str) -> None:
    assert "no trace 'none' is kept" in cli("explain", "none", "ana").stderr


def test_list_shows_all_memories_the_newest_first(cli: Cli, trace: str) -> None:
    told = document(cli("list", "--json"))["memories"]
    shown = cli("list").stdout

    assert told[0]["memory_id"] == "leeds.md"
    assert {one["memory_id"]: one["title"] for one in told} == {
        name: title for name, (title, _) in KEPT.items()
    }
    assert "2026-01-01  leeds.md  Leeds\n" in shown


def test_list_with_words_shows_those_first_whose_title_has_them(cli: Cli, trace: str) -> None:
    told = document(cli("list", "allergy", "--json"))["memories"]

    assert [one["memory_id"] for one in told] == [ALLERGY, "party.md"]
    assert document(cli("list", "zebra", "--json")) == {"memories": []}
    assert cli("list", "zebra").stdout == "No memory has these words.\n"


def test_list_says_why_a_memory_does_not_hold(cli: Cli, trace: str) -> None:
    assert cli("update", "party.md", "--deprecate", "--reason", "called off").exit_code == 0

    (told,) = document(cli("list", "party", "--json"))["memories"]
    assert "called off" in told["end"]
    assert "called off" in cli("list", "party").stdout


def test_list_of_an_entity_without_memories_is_refused(cli: Cli, trace: str) -> None:
    refused = cli("list", "--entity", "nobody")

    assert refused.exit_code == 1
    assert "no memory is stored for entity 'nobody'" in refused.stderr


def test_list_calls_a_conversation_by_its_first_message(tmp_path: Path) -> None:
    chat = tmp_path / "chat.txt"
    chat.write_text(
        "[2026-01-02, 10:00] Dov Mizrahi: Hearts lost again\n"
        "[2026-01-02, 10:01] Idris: I know nothing about football\n"
        "[2026-01-05, 10:00] Idris: Is the van booked?\n"
        "[2026-01-05, 10:01] Dov Mizrahi: Yes, for noon\n"
    )
    run = over(tmp_path / "chats")
    assert run("ingest", str(chat)).exit_code == 0
    assert run("list").stdout.splitlines() == [
        "2026-01-05  chat.txt#2026-01-05  Idris: Is the van booked?",
        "2026-01-02  chat.txt#2026-01-02  Dov Mizrahi: Hearts lost again",
    ]

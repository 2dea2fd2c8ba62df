"""`secondhop cues`: listing, adding and removing the requests that memories are stored for."""

import json
from pathlib import Path

import pytest
from tests.command_line import Cli, document, over

pytestmark = pytest.mark.usefixtures("library_of_tests", "no_variables")

ROW = {
    "id": "allergy",
    "text": "Ana swells up after walnuts",
    "date": "2026-01-02",
    "cues": ["what may I bake for Ana"],
    "broad": ["plan a dinner"],
    "role": "health limit",
    "replaces": ["old"],
}


@pytest.fixture
def run(tmp_path: Path) -> Cli:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps(ROW) + "\n" + json.dumps({"id": "rain", "text": "It rains"}))
    run = over(tmp_path / "store")
    assert run("ingest", str(rows)).exit_code == 0
    return run


def texts(run: Cli, *memory: str) -> list[str]:
    return [cue["text"] for cue in document(run("cues", *memory, "--json"))["cues"]]


def test_cues_of_a_file_are_listed_and_shown(run: Cli) -> None:
    assert texts(run) == texts(run, "allergy")
    assert sorted(texts(run)) == ["plan a dinner", "what may I bake for Ana"]
    assert texts(run, "rain") == []
    shown = document(run("cues", "allergy", "--json"))
    assert (shown["role"], shown["replaces"], shown["annotated"]) == ("health limit", ["old"], True)
    told = run("cues", "allergy").stdout
    assert "health limit" in told
    assert "what may I bake for Ana  (host, allergy:" in told
    listed = run("cues").stdout
    assert "allergy  Ana swells up after walnuts" in listed
    assert "2 cues of 1 memory" in listed
    assert "secondhop annotate" in run("cues", "rain").stdout


def test_a_cue_is_added_and_removed_and_history_names_it(run: Cli) -> None:
    planned = document(run("cues", "rain", "--add", "  fix  the roof ", "--dry-run", "--json"))
    assert texts(run, "rain") == []
    added = document(run("cues", "rain", "--add", "fix the roof", "--broad", "--json"))
    again = document(run("cues", "rain", "--add", "fix the roof", "--broad", "--json"))
    assert (planned["text"], planned["breadth"], planned["dry_run"]) == (
        "fix the roof",
        "specific",
        True,
    )
    assert (added["breadth"], added["origin"], added["dry_run"]) == ("broad", "host", False)
    assert again == added
    assert run("cues", "rain", "--add", "fix the roof", "--broad").stdout.startswith(
        "it has this cue already: fix the roof"
    )
    history = document(run("history", "rain", "--json"))
    assert [cue["text"] for cue in history["cues"]] == ["fix the roof"]
    assert "rain was stored for: fix the roof" in run("history", "rain").stdout

    assert "removed fix the roof" in run("cues", "--remove", added["cue_id"]).stdout
    assert texts(run, "rain") == []


def test_cues_of_a_file_are_imported_for_stored_memories(run: Cli, tmp_path: Path) -> None:
    rows = [
        {"id": "rain", "cues": ["fix the roof"], "broad": ["get the house ready"], "role": "leak"},
        {"id": "ghost", "cues": ["who is there"]},
        {"id": "allergy", "role": "no nuts", "replaces": ["rain"]},
    ]
    file = tmp_path / "written.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    words = ("cues", "--import", str(file))

    planned = document(run(*words, "--dry-run", "--json"))
    assert (planned["changed"], planned["dry_run"], texts(run, "rain")) == (2, True, [])
    told = run(*words).stdout
    assert told.startswith("2 memories got cues, 0 unchanged, 1 skipped\nskipped ghost: no memory")
    again = document(run(*words, "--json"))
    assert (again["read"], again["changed"], again["unchanged"]) == (3, 0, 2)
    assert [one["item"] for one in again["skipped"]] == ["ghost"]

    assert texts(run, "rain") == ["fix the roof", "get the house ready"]
    assert sorted(texts(run, "allergy")) == ["plan a dinner", "what may I bake for Ana"]
    shown = document(run("cues", "allergy", "--json"))
    assert (shown["role"], shown["replaces"]) == ("no nuts", ["rain"])

    ingested = document(run("ingest", str(tmp_path / "rows.jsonl"), "--json"))
    assert (ingested["unchanged"], ingested["other_cues"]) == (2, 0)
    assert document(run("cues", "allergy", "--json"))["role"] == "no nuts"


def test_a_file_of_cues_none_of_which_could_be_stored_is_an_error(run: Cli, tmp_path: Path) -> None:
    file = tmp_path / "written.jsonl"
    file.write_text('{"id": "ghost", "cues": ["who"]}\n{"id": "rain", "role": "x\\u202e"}')
    for words in ([], ["--json"], ["--dry-run"]):
        done = run("cues", "--import", str(file), *words)
        assert (done.exit_code, done.stdout) == (2, "")
        assert "written.jsonl could be imported for entity" in done.stderr
        assert "no memory 'ghost' is stored" in done.stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"id": "allergy", "cue": "x"}', "cue: Extra inputs"),
        ('{"id": 5}', "id: Input should be a valid string"),
        ('{"id": "allergy", "cues": "x"}', "cues: Input should be a valid array"),
        ('{"id": "allergy", "cues": [5]}', "cues.0: Input should be a valid string"),
        ('{"cues": ["x"]}', "id: Field required"),
        ("fix the roof", "Invalid JSON"),
    ],
)
def test_a_file_of_cues_with_a_fault_is_refused_with_its_line(
    run: Cli, tmp_path: Path, line: str, said: str
) -> None:
    file = tmp_path / "written.jsonl"
    file.write_text('{"id": "rain", "cues": ["fix the roof"]}\n' + line)
    done = run("cues", "--import", str(file))
    assert (done.exit_code, texts(run, "rain")) == (2, [])
    assert f"written.jsonl:2: {said}" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["nobody", "--add", "fix the roof"], "nobody"),
        (["rain", "--add", " "], "no words"),
        (["rain", "--add", "x" * 201], "201 characters"),
        (["rain", "--add", "fix\u202ethe roof"], "invisible"),
        (["--add", "fix the roof"], "needs the memory that the cue is of"),
        (["--remove", "rain:0"], "no cue"),
        (["rain", "--import", "cues.jsonl"], "takes no MEMORY"),
        (["--import", "cues.jsonl", "--remove", "rain:0"], "one at a time"),
        (["nobody"], "nobody"),
    ],
)
def test_what_cannot_be_done_is_said(run: Cli, command: list[str], said: str) -> None:
    done = run("cues", *command)
    assert done.exit_code == 2
    assert said in done.stderr


def test_a_memory_has_only_so_many_cues_of_yours(run: Cli) -> None:
    for n in range(3):
        run("cues", "rain", "--add", f"undertaking {n}", "--broad")
    done = run("cues", "rain", "--add", "one more", "--broad")
    assert done.exit_code == 2
    assert "has 3 broad cues of yours" in done.stderr
    assert "secondhop cues --remove rain:" in done.stderr


def test_words_of_a_memory_name_it_too(run: Cli) -> None:
    assert texts(run, "it RAINS") == []
    assert sorted(texts(run, "swells up")) == ["plan a dinner", "what may I bake for Ana"]
    assert run("remember", "It snows a lot", "--title", "Winter").exit_code == 0
    assert run("cues", "winter", "--add", "fix the roof").exit_code == 0
    assert texts(run, "it snows") == ["fix the roof"]
    assert run("cues", "swells up", "--add", "fix the roof").exit_code != 0

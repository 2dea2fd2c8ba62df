"""`secondhop eval new`: questions from a store are labelled and measured like any scenario."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import Cli, document, in_folder

from secondhop import Recall
from secondhop.evals.scenario import load_scenario

pytestmark = pytest.mark.usefixtures("library_of_tests")

NOTES = {
    "walnuts": "Mia gets a rash from walnuts",
    "oven": "Our oven runs 20 degrees too hot",
    "sweet": "The last cake for Mia was too sweet",
    "tyres": "The winter tyres are in the cellar",
}
QUESTION = "Which cake shall I bake for Mia?"
BROAD = "plan a birthday party"


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs commands on a memory of four notes, which was asked one question."""
    with Recall.open(tmp_path / ".secondhop", embedder="hashing") as recall:
        for name, text in NOTES.items():
            recall.memories.remember(text, memory_id=name)
        for name in ("walnuts", "sweet"):
            recall.memories.cues.add(name, BROAD, broad=True)
        recall.memories.cues.add("oven", "bake a cake in our oven", broad=True)
        recall.recall(QUESTION)
    return in_folder(tmp_path, monkeypatch)


def number_of(shown: str, text: str) -> int:
    """The number of the first question's candidate that has this text."""
    line = next(line for line in shown.splitlines() if text in line)
    return int(line.split(".")[0])


def labelled(folder: Path) -> list[dict[str, Any]]:
    text = (folder / "queries.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_questions_are_those_that_were_asked_then_what_most_memories_share(cli: Cli) -> None:
    shown = cli("eval", "new", "mine", given="\n\n\nq\n").output

    places = [shown.index(one) for one in (f"\n{QUESTION}", f"\n{BROAD}", "\nbake a cake in our")]
    assert places == sorted(places)
    assert "No more questions to propose" in shown
    assert not Path("mine").exists(), "nothing was labelled"


def test_labels_become_a_scenario_that_is_measured(cli: Cli) -> None:
    shown = cli("eval", "new", "mine", QUESTION, given="q\n").output
    nuts, oven, sweet = (number_of(shown, NOTES[name]) for name in ("walnuts", "oven", "sweet"))
    lines = [f"what Mia may eat: {nuts} {sweet}u", f"kitchen: {oven}", f"{sweet}={oven}"]

    done = cli("eval", "new", "mine", QUESTION, "--k", "3", given="\n".join([*lines, "", "q", ""]))
    measured = document(cli("eval", "scenarios", "mine", "--json"))
    (question,) = labelled(Path("mine"))

    assert "1 question in mine" in done.output
    assert [(one["name"], one["relevant"]) for one in question["facets"]] == [
        ("what Mia may eat", {"walnuts": 3, "sweet": 2}),
        ("kitchen", {"oven": 3}),
    ]
    assert (question["query"], question["k"]) == (QUESTION, 3)
    assert question["redundant"] == [["sweet", "oven"]]
    assert {one.memory_id: one.broad_cues for one in load_scenario(Path("mine")).memories} == {
        "walnuts": (BROAD,),
        "sweet": (BROAD,),
        "oven": ("bake a cake in our oven",),
        "tyres": (),
    }
    assert "mine" in json.dumps(measured)


def test_an_imported_chat_keeps_its_speakers(cli: Cli) -> None:
    lines = ["19:03 Ana: What about mama?", "19:04 Ben: She is fine.", "19:05 Ana: Oh, good!"]
    Path("chat.txt").write_text("\n".join(lines), encoding="utf-8")
    assert cli("ingest", "chat.txt", "--embedder", "hashing").exit_code == 0

    done = cli("eval", "new", "mine", "What about mama?", given="mama: 1\nq\n")

    assert done.exit_code == 0, done.output
    chat = next(one for one in load_scenario(Path("mine")).memories if len(one.messages) > 1)
    assert [turn.role for turn in chat.messages] == ["Ana", "Ben", "Ana"]
    assert cli("eval", "scenarios", "mine", "--json").exit_code == 0


def test_a_typed_question_and_one_without_answer_join_what_is_there(cli: Cli) -> None:
    cli("eval", "new", "mine", QUESTION, given="kitchen: 1\n")
    cli("eval", "new", "mine", QUESTION, given="? Who won the cup?\nnone\n? And tyres?\nwhere: 1\n")

    assert [(one["id"], one["query"]) for one in labelled(Path("mine"))] == [
        ("q-1", QUESTION),
        ("q-3", "And tyres?"),
    ]
    (unanswered,) = load_scenario(Path("mine")).no_answer
    assert (unanswered.id, unanswered.query) == ("q-2", "Who won the cup?")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("tin: + cake", "'tin: + cake' is not a label; + WORDS needs a line of its own"),
        ("kitchen: 99", "there is no number 99"),
        ("kitchen: 1m", "'kitchen' needs a memory that is essential or useful"),
        ("1>1", "is outdated by itself"),
        ("2=2", "lists a memory twice"),
    ],
)
def test_a_line_that_is_no_label_is_told_and_changes_nothing(
    cli: Cli, line: str, told: str
) -> None:
    done = cli("eval", "new", "mine", QUESTION, given=f"{line}\nkitchen: 1\n")

    assert told in done.output
    (question,) = labelled(Path("mine"))
    assert [one["name"] for one in question["facets"]] == ["kitchen"]
    assert (question["redundant"], question["stale"]) == ([], {})


def test_the_command_that_measures_can_be_pasted_and_measures_the_store(cli: Cli) -> None:
    done = cli("eval", "new", "my own", QUESTION, "--store", ".secondhop", given="kitchen: 1\n")

    told = next(line for line in done.output.splitlines() if line.startswith("measure your store"))
    command = shlex.split(told.partition(": secondhop ")[2])
    assert command[:4] == ["eval", "scenarios", "my own", "--stored"]
    assert Path(command[command.index("--store") + 1]).resolve() == Path(".secondhop").resolve()
    assert "as they are now: secondhop eval scenarios 'my own'\n" in done.output


def test_a_folder_that_is_no_scenario_is_refused_before_anything_is_asked(cli: Cli) -> None:
    Path("mine").mkdir()
    Path("mine/queries.jsonl").write_text("no JSON\n", encoding="utf-8")

    done = cli("eval", "new", "mine", given="q\n")

    assert done.exit_code == 2
    assert "queries.jsonl:1" in done.output


def test_a_folder_that_cannot_be_written_is_refused_before_anything_is_asked(cli: Cli) -> None:
    Path("file").write_text("no folder", encoding="utf-8")

    for folder in ("file", "file/mine"):
        done = cli("eval", "new", folder, QUESTION, given="kitchen: 1\n")

        assert done.exit_code == 2
        assert f"cannot write {folder}" in done.stderr
        assert "kitchen" not in done.stdout


def test_what_searches_miss_is_found_by_words_and_labels_are_replaced(cli: Cli) -> None:
    first = [f"+ {NOTES['tyres'].split()[2]}", "car: 2", "q", ""]
    cli("eval", "new", "mine", QUESTION, "--shown", "1", given="\n".join(first))
    (found,) = labelled(Path("mine"))

    again = ["+ walnuts", "guests: 2u", "+ walnuts", "+ zeppelin", "q", ""]
    shown = cli("eval", "new", "mine", QUESTION, "--shown", "1", given="\n".join(again)).output
    (question,) = labelled(Path("mine"))

    assert [one["relevant"] for one in found["facets"]] == [{"tyres": 3}]
    assert "It has labels already" in shown
    assert "no memory but number 2 above has the words 'walnuts'" in shown
    assert "no memory has the words 'zeppelin'" in shown
    assert question["id"] == found["id"]
    assert [one["name"] for one in question["facets"]] == ["guests"]

    cli("eval", "new", "mine", QUESTION, given="none\nq\n")
    assert not Path("mine/queries.jsonl").exists()
    assert QUESTION in Path("mine/no_answer.jsonl").read_text(encoding="utf-8")

"""`secondhop remember`, `forget` and similar commands, called as by a shell."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import over

pytestmark = pytest.mark.usefixtures("library_of_tests")

Command = Callable[..., Any]


@pytest.fixture
def command(tmp_path: Path, no_variables: None) -> Command:
    def run(*words: str, status: int = 0) -> Any:
        done = over(tmp_path / "store")(*words, "--json")
        assert done.exit_code == status, done.output
        return json.loads(done.stdout) if done.stdout.strip() else done.stderr

    return run


def test_a_life_of_a_fact(command: Command) -> None:
    fact = ("--subject", "me", "--attribute", "employer")
    old = command("remember", "Acme", *fact, "--at", "2026-01-01")
    new = command("update", old["memory_id"], "Zeta", "--at", "2026-02-01")

    assert new["supersedes"] == [old["memory_id"]]
    assert [one["value"] for one in command("facts", "me")["facts"]] == ["Zeta"]
    then = command("facts", "--as-of", "2026-01-15")
    assert [one["value"] for one in then["facts"]] == ["Acme"]
    versions = command("history", new["memory_id"])["versions"]
    assert [one["end"].split(" by ")[0] for one in versions] == ["superseded", ""]


def test_the_words_may_come_from_a_pipe(tmp_path: Path) -> None:
    run = over(tmp_path / "store")

    assert run("remember", "-", "--id", "hi", given="Hello, Zoë\n").exit_code == 0
    assert "valid\n   Hello, Zoë\n" in run("history", "hi").stdout
    new = json.loads(run("update", "hi", "-", "--json", given="Hello, Ana\n").stdout)["memory_id"]
    assert "valid\n   Hello, Ana\n" in run("history", new).stdout
    assert run("remember", "-", given="\n").exit_code == 2
    assert run("remember", "-", given=b"\xff").exit_code == 2


def test_words_are_deprecated_restored_and_forgotten(command: Command) -> None:
    command("remember", "The key is under the mat", "--id", "key")
    command("remember", "The key hangs in the hall", "--id", "hook")

    assert command("update", "key", "--deprecate", "--reason", "lost")["done"] == "deprecated"
    assert "key" not in [one["id"] for one in command("recall", "Where is the key?")["memories"]]
    shown = command("recall", "Where is the key?", "--include-stale")["memories"]
    assert {one["id"]: one["stale"][:10] for one in shown}["key"] == "deprecated"
    assert command("update", "key", "--restore")["done"] == "restored"
    assert command("update", "key", "--replaced-by", "hook", "--dry-run")["dry_run"] is True
    assert command("forget", "key", "--dry-run")["passages"] == 1
    assert command("forget", "key")["complete"] is True
    assert "no memory 'key'" in command("history", "key", status=2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("remember", "x", "--subject", "me"), "a subject and an attribute"),
        (("remember", "x", "--topic", "t"), "give its scope"),
        (("remember", "x", "--subject", "s", "--attribute", "a", "--scope", "always"), "not both"),
        (("update", "x"), "nothing to update"),
        (("update", "x", "--deprecate"), "say why"),
        (("update", "x", "words", "--reason", "y"), "--reason goes with"),
        (("update", "x", "words", "--restore"), "one at a time"),
    ],
)
def test_half_a_command_is_wrong_usage(command: Command, words: tuple[str, ...], said: str) -> None:
    assert said in command(*words, status=2)


def test_people_read_a_line_for_each_deed(tmp_path: Path) -> None:
    run = over(tmp_path / "store")
    first = run("remember", "Berlin", "--id", "home")
    story = run("history", "home")
    gone = run("forget", "home")

    assert first.stdout == "remembered home\n"
    assert "home  valid" in story.stdout
    assert gone.stdout == "forgot home: 1 passage and 0 traces\n"

"""`secondhop settings …`, as a shell calls it, and the doors that heed it."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import over
from tests.mcp.mcp_world import MARA, NOOR, store_two
from tests.small_world import QUESTION, made_once
from tests.store_files import content as text_of

pytestmark = pytest.mark.usefixtures("library_of_tests", "no_variables")

Command = Callable[..., Any]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory.mktemp("settings"), store_two)


@pytest.fixture
def store(original: Path, tmp_path: Path) -> Path:
    return shutil.copytree(original, tmp_path / "store")


@pytest.fixture
def command(store: Path) -> Command:
    """A command about Mara; its JSON, its error, or what it prints for people."""

    def run(*words: str, status: int = 0, plain: bool = False, entity: str = MARA) -> Any:
        given = ("--entity", entity, *(() if plain else ("--json",)))
        done = over(store)(*words, *given)
        assert done.exit_code == status, done.output
        return done.stderr if status else done.stdout if plain else json.loads(done.stdout)

    return run


def recalled(command: Command, *words: str, entity: str = MARA) -> dict[str, Any]:
    """Settings of a recall, as its trace has them."""
    answer = command("recall", QUESTION, *words, entity=entity)
    trace = next(Path.cwd().rglob(f"{answer['trace_id']}.json.gz"))
    found: dict[str, Any] = json.loads(text_of(trace))
    return found


def test_settings_are_kept_shown_and_taken_back(command: Command) -> None:
    assert command("settings")["kept"] == {}

    told = command("settings", "ranking.recency=always", "ranking.recency_days=30")
    assert told["kept"] == {"ranking.recency": "always", "ranking.recency_days": 30.0}
    assert command("settings") == told
    assert command("settings", entity=NOOR)["kept"] == {}
    lines = command("settings", plain=True).splitlines()
    assert "ranking.recency: always (kept with the entity)" in lines
    assert "ranking.freshness: 0.0 (as it ships)" in lines

    left = command("settings", "ranking.recency_days=")
    assert left["kept"] == {"ranking.recency": "always"}
    assert command("settings", "ranking.recency=")["kept"] == {}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ranking.recensy=never",), "did you mean ranking.recency"),
        (("ranking.recency",), "sets nothing; write NAME=VALUE"),
        (("ranking.recency=sometimes",), "recency cannot be 'sometimes'"),
        (("limits.k=3",), "no setting that can be kept"),
        (("limits.k=",), "no setting that can be kept"),
    ],
)
def test_wrong_usage_is_named_and_changes_nothing(
    command: Command, words: tuple[str, ...], said: str
) -> None:
    assert said in command("settings", *words, status=2)
    assert command("settings")["kept"] == {}


def test_a_recall_heeds_them_before_a_settings_file(
    command: Command, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(store)
    file = store / "mine.yaml"
    file.write_text("ranking:\n  recency: never\n  freshness: 0.25\n", encoding="utf-8")
    command("settings", "ranking.recency=always")

    trace = recalled(command, "--settings", str(file))
    shown = command("settings", "--settings", str(file))["in_force"]

    assert (trace["settings"]["ranking.recency"], trace["kept_settings"]) == (
        "always",
        ["ranking.recency"],
    )
    assert trace["settings"]["ranking.freshness"] == 0.25
    assert [shown[f"ranking.{name}"]["said_by"] for name in ("recency", "freshness")] == [
        "entity",
        "settings",
    ]
    assert recalled(command, entity=NOOR)["kept_settings"] == []

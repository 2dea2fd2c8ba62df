"""`secondhop annotate` and the other commands that let a model write cues, called as by a shell."""

from pathlib import Path

import pytest
from tests.annotate.cue_writer import rows_for
from tests.cli.model_server import ModelServer
from tests.cli.prompt_lab import tiny_scenario
from tests.command_line import Cli, document

pytestmark = pytest.mark.model  # prompts are counted with tiktoken's ranks


@pytest.fixture
def cli(llm_cli: Cli, model: ModelServer) -> Cli:
    model.replies["AnnotateReply"] = lambda _system, user: rows_for(user)
    return llm_cli


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for thing in ("boiler", "roof", "piano"):
        (folder / f"{thing}.md").write_text(f"{thing} was looked at in May.")
    return folder


def test_an_ingest_lets_the_model_write_cues_and_tells_what_it_takes(
    cli: Cli, model: ModelServer, notes: Path
) -> None:
    first = cli("ingest", notes)
    again = document(cli("ingest", notes, "--json"))

    assert first.exit_code == 0, first.stderr
    assert "annotated 3 memories: 3 specific cues, 3 broad" in first.stdout
    assert "3 memories wait for cues" in first.stderr
    assert "price unknown" in first.stderr
    assert model.asked() == {"AnnotateReply": 1}
    assert again["annotation"]["annotated"] == 0


def test_what_an_ingest_left_is_annotated_later(cli: Cli, model: ModelServer, notes: Path) -> None:
    assert "annotation" not in document(cli("ingest", notes, "--no-annotate", "--json"))
    planned = document(cli("annotate", "--dry-run", "--json"))
    assert not model.asked()

    done = document(cli("annotate", "--json"))

    assert planned["estimate"]["memories"] == planned["pending"] == 3
    assert (done["annotated"], done["pending"], done["spent"]["llm_calls"]) == (3, 0, 1)
    assert done["prompt"].startswith("annotate.v2@")
    assert model.asked() == {"AnnotateReply": 1}


def test_a_bound_stops_it_cleanly(cli: Cli, model: ModelServer, notes: Path) -> None:
    stopped = cli("ingest", notes, "--max-tokens", "50")

    assert stopped.exit_code == 0
    assert "stopped: the limit of 50 tokens was reached" in stopped.stdout
    assert not model.asked()


def test_a_server_that_returns_nonsense_fails_the_command_with_one_count(
    cli: Cli, model: ModelServer, notes: Path
) -> None:
    cli("ingest", notes, "--no-annotate")
    model.replies["AnnotateReply"] = lambda _system, _user: {"nonsense": 1}

    done = cli("annotate")

    assert done.exit_code == 1
    assert "annotated 0 memories" in done.stdout
    assert done.stdout.count("3 memories wait") == 1
    assert "3 of them failed (boiler.md" in " ".join(done.stdout.split())


def test_without_a_model_it_names_the_ways_out(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, notes: Path
) -> None:
    monkeypatch.delenv("SECONDHOP_LLM")
    assert "annotation" not in document(cli("ingest", notes, "--json"))

    refused = cli("annotate")

    assert refused.exit_code == 2
    assert "--llm openai:MODEL" in refused.stderr


def test_without_a_key_it_is_said_before_anything_is_stored(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, notes: Path, tmp_path: Path
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    before = sorted(tmp_path.rglob("*"))

    for command in (("ingest", notes), ("annotate",)):
        refused = cli(*command)
        assert refused.exit_code == 1
        assert "set OPENAI_API_KEY (any word for a local server)" in " ".join(
            refused.stderr.split()
        )
        told = "Nothing was stored; --llm offline stores it without cues" in refused.stderr
        assert told == (command[0] == "ingest")

    assert sorted(tmp_path.rglob("*")) == before
    assert "annotation" not in document(cli("ingest", notes, "--no-annotate", "--json"))


def test_an_evaluation_writes_cues_once_and_keeps_them_in_its_store(
    cli: Cli, model: ModelServer, tmp_path: Path
) -> None:
    scenario = tiny_scenario(tmp_path / "tiny")
    run = ("eval", "scenarios", scenario, "--annotate", "--store", tmp_path / "kept", "--json")

    document(cli(*run))
    first = model.asked()
    document(cli(*run))

    assert first["AnnotateReply"] == 1
    assert model.asked()["AnnotateReply"] == 0

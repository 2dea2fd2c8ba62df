"""`secondhop observe`, called as by a shell."""

import json
import re
from pathlib import Path

import pytest
from tests.cli.model_server import ModelServer
from tests.command_line import Cli, document, over

from secondhop.recall import Recall

pytestmark = pytest.mark.usefixtures("library_of_tests")

TALK = [
    {"role": "user", "content": "My birthday is 3 May. I live in Bonn.", "at": "2026-01-01"},
    {"role": "assistant", "content": "Noted. I live in the cloud."},
    {"role": "user", "content": "My birthday is 4 May. We moved to Trier.", "at": "2026-03-01"},
]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_variables: None) -> Cli:
    monkeypatch.chdir(tmp_path)
    return over(tmp_path / "store")


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(TALK),
        "\n".join(map(json.dumps, TALK)),
        "\ufeff" + json.dumps(TALK, indent=2),
    ],
    ids=["list", "lines", "bom"],
)
def test_every_shape_is_read_from_a_file_and_from_a_pipe(run: Cli, text: str) -> None:
    Path("talk.json").write_text(text, encoding="utf-8")

    told = document(run("observe", "talk.json", "--json"))
    again = document(run("observe", "-", "--json", given=text))

    assert [one["value"] for one in told["added"]] == ["3 May", "Bonn", "Trier"]
    assert [one["value"] for one in told["conflicts"]] == ["4 May"]
    assert told["added"][0]["source"] == {
        "message": 0,
        "start": 0,
        "end": 20,
        "text": "My birthday is 3 May",
    }
    assert (again["added"], again["conflicts"], len(again["duplicates"])) == ([], [], 4)


def test_people_see_what_was_done_why_and_from_which_words(run: Cli) -> None:
    shown = run("observe", "-", "--keep-as", "talk-1", given=json.dumps(TALK)).stdout

    assert "added: me, home: Trier" in shown
    assert 'message 3: "We moved to Trier"' in shown
    assert "replaces: Bonn (2026-01-01)" in shown
    assert "kept beside what it contradicts: me, birthday: 4 May" in shown
    assert "contradicts: 3 May (2026-01-01, f-" in shown
    assert "the conversation itself: remembered, talk-1" in shown
    recalled = " ".join(run("recall", "When is my birthday?").stdout.split())
    assert "undecided, because this is also valid:" in recalled
    nothing = run("observe", "-", given='[{"role": "user", "content": "Hi!"}]').stdout
    assert "Nothing in these messages is a fact" in nothing


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ("", "holds no message"),
        ("[]", "holds no message"),
        ("hello", "is not JSON"),
        ('[{"role": "user", "content": "x"}', "is not JSON"),
        ('{"role": "user", "content": "x"}\n{"role"', "is not JSON"),
        ('"x"', "message 1 is not an object"),
        ('{"title": "x"}', 'message 1 has no "role"'),
        ('[{"content": "x"}]', 'message 1 has no "role"'),
        ('[{"role": "user", "content": "x"}, 7]', "message 2 is not an object"),
        ('[{"role": "user", "content": "x", "at": "soon"}]', "that is not a date"),
        (b"\xff\xfe\x00", "is not UTF-8 text"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_broken_input_is_refused_with_what_to_do(run: Cli, given: str | bytes, fault: str) -> None:
    refused = run("observe", "-", "--json", given=given)

    assert refused.exit_code == 2
    assert fault in refused.stderr
    assert refused.stdout == ""


# --- a model behind a real HTTP server ---


@pytest.mark.model
def test_a_model_behind_a_server_reads(model_cli: Cli, model: ModelServer) -> None:
    def noted(_system: str, user: str) -> object:
        ids = re.findall(r"^<message (\w+)>$", user, re.M)
        row = {"message": ids[0], "quote": "new place is in Trier", "kind": "fact"}
        names = {"subject": "me", "attribute": "home", "value": "Trier", "text": "", "scope": ""}
        return {"memories": [{**row, **names, "topic": "", "change": "new", "sure": True}]}

    model.replies["ObserveReply"] = noted
    Path("talk.jsonl").write_text('{"role": "user", "content": "Our new place is in Trier"}')

    told = document(model_cli("observe", "talk.jsonl", "--json", "--llm", model.spec))

    assert [(one["attribute"], one["value"]) for one in told["added"]] == [("home", "Trier")]
    assert told["reader"].startswith("llm:openai:")
    assert (told["degraded"], told["spent"]["llm_calls"]) == ([], 1)

    with Recall.open("elsewhere", embedder="hashing") as recall:
        talk = [{"role": "user", "content": "Our new place is in Trier"}]
        named = recall.memories.observe(talk, llm=model.spec)
        again = recall.memories.observe(
            talk, llm=model.spec
        )  # its connections were closed in between
    assert [len(one.written) for one in (named, again)] == [1, 0]
    assert named.degraded == again.degraded == []

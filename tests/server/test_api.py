"""The API on a real server: everything that `Recall` does, done over HTTP."""

import json
import re
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.mcp.mcp_world import MARA
from tests.server.served_world import QUESTION, Running, new_store, serving

from secondhop.graph.result import RecallResult
from secondhop.graph.session_result import SessionAnswer
from secondhop.server import bodies, memory_bodies, recall_bodies
from secondhop.server.problems import STATUSES
from secondhop.server.remembering import A_FILE

HERE = f"/v1/entities/{MARA}"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    store = tmp_path_factory.mktemp("served") / "store"
    with serving(store, new_store(store)) as one:
        yield one


@pytest.fixture
def http(running: Running) -> Iterator[httpx.Client]:
    with running.client() as client:
        yield client


def content(answer: httpx.Response, status: int = 200) -> Any:
    assert answer.status_code == status, answer.text
    return answer.json()


def events_of(text: str) -> list[tuple[str, Any]]:
    """[(event, data)] of a stream."""
    found: list[tuple[str, Any]] = []
    for block in text.strip().split("\n\n"):
        name, data = block.split("\n", 1)
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def test_a_recall_is_what_the_library_returns(http: httpx.Client) -> None:
    told = content(http.post(f"{HERE}/recall", json={"question": QUESTION, "k": 3}))

    result = RecallResult.model_validate(told)
    assert len(result.memories) == 3
    assert result.entity == MARA


def test_the_request_that_the_page_shows_is_answered(http: httpx.Client) -> None:
    page = Path(__file__).parents[2] / "docs" / "server.md"
    shown = re.search(r"^curl (.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    assert shown
    words = shlex.split(shown[1].replace("\\\n", " "))
    (place,) = (word for word in words if word.startswith("localhost:8000"))
    body = words[words.index("-d") + 1]
    kind = dict([words[words.index("-H") + 1].split(": ")])

    path = place.removeprefix("localhost:8000").replace("/me/", f"/{MARA}/")
    told = content(http.post(path, content=body, headers=kind))

    assert told["memories"]


def test_a_recall_heeds_a_filter(http: httpx.Client) -> None:
    tagged = {"text": "Carefeed interview: bring the portfolio.", "tags": ["filtered"]}
    kept = content(http.post(f"{HERE}/remember", json=tagged), 201)
    asked = {"question": QUESTION, "where": {"tags": ["filtered"], "after": "2020-01-01T00:00:00Z"}}

    told = content(http.post(f"{HERE}/recall", json=asked))

    assert [one["id"] for one in told["memories"]] == [kept["memory_id"]]
    wrongs: list[Any] = [{"tag": ["filtered"]}, {"after": 5}, 5, False, "", [], {"ids": {}}]
    for wrong in wrongs:
        asked = {"question": QUESTION, "where": wrong}
        assert http.post(f"{HERE}/recall", json=asked).status_code == 422
    content(http.delete(f"{HERE}/memories/{kept['memory_id']}"))


def test_a_stream_has_one_event_a_step_and_ends_with_the_result(http: httpx.Client) -> None:
    answer = http.post(f"{HERE}/recall/stream", json={"question": QUESTION, "k": 3})
    plain = content(http.post(f"{HERE}/recall", json={"question": QUESTION, "k": 3}))

    assert answer.headers["content-type"].startswith("text/event-stream")
    events = events_of(answer.text)
    assert [name for name, _ in events] == ["step"] * (len(events) - 1) + ["result"]
    nodes = content(http.get(f"{HERE}/graph"))["nodes"]
    assert {step["node"] for name, step in events if name == "step"} <= set(nodes)
    assert [one["id"] for one in events[-1][1]["memories"]] == [
        one["id"] for one in plain["memories"]
    ]


def test_a_body_that_is_not_read_as_json_tells_why(http: httpx.Client) -> None:
    kind = {"Content-Type": "application/json"}
    unnamed = http.post(f"{HERE}/recall", content=b'{"question": "x"}')
    form = http.post(f"{HERE}/recall", data={"question": "x"})
    broken = http.post(f"{HERE}/recall", content=b'{"question": ', headers=kind)

    header = "body: send it with the header Content-Type: application/json"
    assert [content(one, 422)["detail"] for one in (unnamed, form)] == [header, header]
    assert content(broken, 422)["detail"].startswith("body: it is not JSON (character 1")
    for hostile in (b'{"question": "x", "k": 1' + b"0" * 5000 + b"}", b"[" * 100_000):
        unread = http.post(f"{HERE}/recall", content=hostile, headers=kind)
        assert "too many digits, or it nests too deeply" in content(unread, 400)["detail"]


def test_an_empty_question_in_a_stream_is_a_status(http: httpx.Client) -> None:
    answer = http.post(f"{HERE}/recall/stream", json={"question": "  "})

    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_recall_is_explained_by_its_trace(http: httpx.Client) -> None:
    result = content(http.post(f"{HERE}/recall", json={"question": QUESTION, "k": 2}))
    trace = content(http.get(f"{HERE}/traces/{result['trace_id']}"))
    where = f"{HERE}/traces/{result['trace_id']}/explain"

    assert trace["returned"] == [one["id"] for one in result["memories"]]
    lines = content(http.get(f"{HERE}/traces/{result['trace_id']}/memories"))
    kept = {one["memory_id"]: (one["role"], one["evidence"]) for one in lines if one["evidence"]}
    assert kept == {
        one["id"]: (one["role"], [passage["text"] for passage in one["evidence"]])
        for one in result["memories"]
    }
    assert content(http.get(where, params={"memory_id": trace["returned"][0]}))["returned"]
    last = [one["memory_id"] for one in lines if one["last_because"]]
    assert last == [one["memory_id"] for one in trace["candidates"] if one["close_to"]]
    assert last
    left = content(http.get(where, params={"memory_id": "bread"}))
    assert not left["returned"]
    assert left["nearest_change"]


def test_a_memory_lives_and_is_forgotten(http: httpx.Client) -> None:
    kept = content(http.post(f"{HERE}/remember", json={"text": "The bike is blue."}), 201)
    first = kept["memory_id"]
    changed = content(http.patch(f"{HERE}/memories/{first}", json={"text": "The bike is red."}))
    second = changed["memory_id"]

    assert content(http.get(f"{HERE}/memories/{second}"))["text"] == "The bike is red."
    assert [one["memory_id"] for one in content(http.get(f"{HERE}/history/{second}"))["versions"]]
    assert content(http.delete(f"{HERE}/memories/{first}?dry_run=true"))["dry_run"]
    assert content(http.delete(f"{HERE}/memories/{first}"))["memory_ids"] == [first]
    gone = content(http.get(f"{HERE}/memories/{first}"), 404)
    assert gone["type"] == "urn:secondhop:problem:not-stored"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "memories/nobody"),
        ("PATCH", "memories/nobody"),
        ("GET", "history/nobody"),
        ("POST", "restore/nobody"),
        ("GET", "cues/nobody"),
        ("DELETE", "cues/nobody:0"),
        ("GET", "traces/abc123abc123"),
    ],
)
def test_what_is_not_stored_is_said_in_terms_of_http(
    http: httpx.Client, method: str, path: str
) -> None:
    body = {"text": "x"} if method == "PATCH" else None
    problem = content(http.request(method, f"{HERE}/{path}", json=body), 404)

    assert path.split("/")[1] in problem["detail"]
    assert "secondhop" not in problem["detail"]
    assert "GET /memories" in problem["detail"]


def test_facts_supersede_and_are_looked_up(http: httpx.Client) -> None:
    fact = {"subject": "me", "attribute": "employer"}
    old = content(http.post(f"{HERE}/remember", json={"text": "Acme", **fact}), 201)
    new = content(http.post(f"{HERE}/remember", json={"text": "Boilerworks", **fact}), 201)

    assert new["supersedes"] == [old["memory_id"]]
    assert [one["value"] for one in content(http.get(f"{HERE}/facts", params=fact))] == [
        "Boilerworks"
    ]


def test_built_memories_are_added_superseded_deprecated_and_restored(http: httpx.Client) -> None:
    def built(name: str, text: str) -> dict[str, Any]:
        said = [{"role": "user", "content": text}]
        return {"memory_id": name, "created_at": "2026-03-01T10:00:00Z", "messages": said}

    rows = [built("tents/old", "The tent leaks."), built("tents/new", "The tent is tight.")]
    ledger = content(http.post(f"{HERE}/memories", json={"memories": rows}), 201)
    assert ledger["stored"] == 2
    by = {"by": "tents/new", "reason": "mended"}
    assert content(http.post(f"{HERE}/supersede/tents/old", json=by))["done"] == "superseded"
    assert content(http.get(f"{HERE}/memories/tents/old"))["end"]
    assert content(http.post(f"{HERE}/restore/tents/old"))["done"] == "restored"
    why = {"reason": "sold"}
    assert content(http.post(f"{HERE}/deprecate/tents/old", json=why))["done"] == "deprecated"


def test_a_text_alone_is_stored_with_a_new_id_and_the_time_of_now(http: httpx.Client) -> None:
    before = datetime.now(UTC)
    one = content(http.post(f"{HERE}/memories", json={"text": "The boat is red.\nAnd old."}), 201)
    texts = [{"text": "The oars are green."}, {"text": "The sail is white.", "title": "Sail"}]
    more = content(http.post(f"{HERE}/memories", json={"memories": texts}), 201)

    ids = [*one["memory_ids"], *more["memory_ids"]]
    stored = [content(http.get(f"{HERE}/memories/{name}")) for name in ids]
    assert [one["stored"], more["stored"]] == [1, 2]
    assert [memory["title"] for memory in stored] == [
        "The boat is red.",
        "The oars are green.",
        "Sail",
    ]
    assert all(datetime.fromisoformat(memory["created_at"]) >= before for memory in stored)


def test_the_answer_names_the_ids_that_are_stored(http: httpx.Client) -> None:
    said = [
        {"memory_id": " spaced ", "text": "The mast is of ash."},
        {"messages": [{"content": " "}]},
        {"memory_id": "spaced", "text": "The mast is of oak."},
        {"memory_id": " ", "text": "The keel is of oak."},
    ]
    added = content(http.post(f"{HERE}/memories", json={"memories": said}), 201)

    assert added["memory_ids"] == ["spaced", None, None, None]
    assert (added["stored"], len(added["skipped"])) == (1, 3)
    assert content(http.get(f"{HERE}/memories/spaced"))["text"] == "The mast is of ash."


def test_a_memory_without_a_date_is_of_its_last_message(http: httpx.Client) -> None:
    said = [
        {"content": "The deck is wet.", "at": "2020-01-02T00:00:00+02:00"},
        {"content": "The deck is dry.", "at": "2020-01-01T23:00:00"},
        {"content": "And clean."},
    ]
    dates = {"deck": None, "deck/given": "2021-01-01T00:00:00Z"}
    rows = [{"memory_id": one, "messages": said, "created_at": at} for one, at in dates.items()]
    content(http.post(f"{HERE}/memories", json={"memories": rows}), 201)

    found = [content(http.get(f"{HERE}/memories/{one}"))["created_at"] for one in dates]
    assert [at[:13] for at in found] == ["2020-01-01T23", "2021-01-01T00"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": "  "},
        {"text": "a", "messages": [{"content": "b"}]},
        {"text": "a", "memories": [{"text": "b"}]},
        {"memories": [{"title": "nothing"}]},
    ],
)
def test_a_memory_without_one_text_is_refused(http: httpx.Client, body: dict[str, Any]) -> None:
    assert content(http.post(f"{HERE}/memories", json=body), 422)["detail"]


def test_pages_of_memories_join_without_a_gap(http: httpx.Client) -> None:
    whole = content(http.get(f"{HERE}/memories", params={"limit": 500}))
    first = content(http.get(f"{HERE}/memories", params={"limit": 4}))
    rest = content(http.get(f"{HERE}/memories", params={"limit": 500, "after": first["next"]}))

    ids = [one["memory_id"] for one in (*first["memories"], *rest["memories"])]
    assert ids == [one["memory_id"] for one in whole["memories"]]
    assert whole["next"] == ""
    assert content(http.get(HERE))["memories"] == len(ids)


def test_a_session_is_voted_on_and_resolved(http: httpx.Client) -> None:
    first = content(http.post(f"{HERE}/sessions", json={"question": QUESTION, "k": 3}), 201)
    where = f"{HERE}/sessions/{first['session_id']}"
    hot, cold = (one["id"] for one in first["memories"][:2])
    second = content(http.post(f"{where}/votes", json={"votes": {hot: "hot", cold: "cold"}}))

    SessionAnswer.model_validate(second)
    assert second["round"] == 2
    assert cold not in [one["id"] for one in second["memories"]]
    assert content(http.get(where))["round"] == 2
    late = content(http.post(f"{where}/votes", json={"votes": {hot: "hot"}, "round": 1}), 409)
    assert late["type"] == "urn:secondhop:problem:round-moved-on"
    assert late["current"] == 2
    assert content(http.post(f"{where}/resolve", json={}))["session"]["accepted"] == [hot]
    assert content(http.get(where), 410)["type"] == "urn:secondhop:problem:session-resolved"


def test_a_follow_up_is_searched_with_the_question_before_it(http: httpx.Client) -> None:
    body = {"question": "And the other one?", "earlier": [QUESTION]}
    whole = f"{QUESTION}\nAnd the other one?"

    assert content(http.post(f"{HERE}/recall", json=body))["question"] == whole
    assert content(http.post(f"{HERE}/sessions", json=body), 201)["question"] == whole


def test_a_session_is_given_up(http: httpx.Client) -> None:
    first = content(http.post(f"{HERE}/sessions", json={"question": QUESTION}), 201)

    assert first["session_id"] in content(http.get(f"{HERE}/sessions"))
    assert http.delete(f"{HERE}/sessions/{first['session_id']}").status_code == 204
    assert first["session_id"] not in content(http.get(f"{HERE}/sessions"))


def test_a_conversation_is_observed_and_a_briefing_given(http: httpx.Client) -> None:
    said = [{"role": "user", "content": "Remember that the keys are with Ines."}]
    observed = content(http.post(f"{HERE}/observe", json={"messages": said}))

    assert observed["added"] or observed["duplicates"]
    assert content(http.get(f"{HERE}/briefing", params={"limit": 5}))["entries"]


def test_a_file_is_ingested_and_leaves_no_copy(http: httpx.Client, running: Running) -> None:
    note = "# Boat\n\nThe boat lies in Kiel.\n"
    where = f"{HERE}/ingest"
    file = {"name": "boat.md", "modified_at": "2026-01-01T12:00:00Z", "tag": "harbour"}
    first = content(http.post(where, params=file, content=note))
    again = content(http.post(where, params=file, content=note))
    changed = content(http.post(where, params=file, content=note + "And leaks."))

    assert (first["stored"], again["unchanged"], changed["stored"]) == (1, 1, 1)
    assert not list(running.store.rglob("boat.md"))
    asked = {"question": "Where is the boat?", "where": {"tags": ["harbour"]}}
    found = content(http.post(f"{HERE}/recall", json=asked))["memories"]
    assert {one["title"] for one in found} == {"Boat"}
    broken = content(http.post(where, params={"name": "x.json"}, content=b"{"), 422)
    assert broken["type"].startswith("urn:secondhop:problem:")
    assert "could be stored: x.json: broken JSON" in broken["detail"]


def test_probes_and_metrics_answer(running: Running) -> None:
    with running.client("") as nobody, running.client("admin") as admin:
        assert content(nobody.get("/healthz")) == {"status": "ok"}
        assert content(nobody.get("/readyz")) == {"status": "ready"}
        content(admin.post(f"{HERE}/recall", json={"question": QUESTION}))
        told = admin.get("/metrics").text
        assert content(admin.get("/v1/entities")) == ["mara", "noor"]

    assert 'route="recall",status="200"' in told
    assert "secondhop_recalls_total" in told
    assert MARA not in told


def test_every_body_of_a_request_has_an_example_that_is_valid(http: httpx.Client) -> None:
    described = content(http.get("/openapi.json"))
    operations = [one for path in described["paths"].values() for one in path.values()]
    sent = [one["requestBody"]["content"] for one in operations if "requestBody" in one]
    schemas = [one["application/json"]["schema"]["$ref"] for one in sent if "*/*" not in one]

    assert len(schemas) > 10
    for name in {schema.rpartition("/")[2] for schema in schemas}:
        shown = described["components"]["schemas"][name]["example"]
        body = vars(memory_bodies).get(name) or vars(recall_bodies)[name]
        assert body.model_validate(shown)
    assert [one["*/*"]["example"] for one in sent if "*/*" in one] == [A_FILE]


def test_the_page_on_the_server_names_every_route(http: httpx.Client) -> None:
    page = (Path(__file__).parents[2] / "docs" / "server.md").read_text(encoding="utf-8")
    below = "/v1/entities/{entity}/"
    paths = content(http.get("/openapi.json"))["paths"]
    routes = {path.removeprefix(below).split("/")[0] for path in paths if path.startswith(below)}

    named = set(re.findall(r"(?:GET|POST|PATCH|DELETE) /(\w+)", page))
    assert routes - named == set()


def test_the_page_on_the_server_names_every_status_of_an_error() -> None:
    page = (Path(__file__).parents[2] / "docs" / "server.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d{3}[\d, ]*) \|", page, re.M)
    told = {int(status) for row in rows for status in row.split(",")}

    files = Path(bodies.__file__).parent.glob("*.py")
    code = "".join(file.read_text(encoding="utf-8") for file in files)
    given = {int(status) for status in re.findall(r"(?:refused|HTTPException)\(\s*(\d{3})", code)}
    assert given | {status for _, status in STATUSES} | {405} == told


def test_the_description_has_the_form_of_errors(http: httpx.Client) -> None:
    described = content(http.get("/openapi.json"))

    recall = described["paths"]["/v1/entities/{entity}/recall"]["post"]
    assert "application/problem+json" in recall["responses"]["default"]["content"]


def test_cues_are_added_shown_and_removed(http: httpx.Client) -> None:
    where = f"{HERE}/cues"
    added = content(http.post(f"{where}/plan", json={"text": "What shall I do first there?"}), 201)

    shown = content(http.get(f"{where}/plan"))["cues"]
    assert [one["text"] for one in shown if one["origin"] == "host"] == [added["text"]]
    assert added["cue_id"] in [one["cue_id"] for one in content(http.get(where))]
    content(http.delete(f"{where}/{added['cue_id']}"))
    assert added["cue_id"] not in [one["cue_id"] for one in content(http.get(where))]
    assert content(http.delete(f"{where}/{added['cue_id']}"), 404)


def test_the_last_recalls_are_listed(http: httpx.Client) -> None:
    told = content(http.post(f"{HERE}/recall", json={"question": "the winter tyres", "k": 1}))

    newest = content(http.get(f"{HERE}/traces", params={"limit": 5}))[0]
    assert (newest["trace_id"], newest["question"]) == (told["trace_id"], "the winter tyres")

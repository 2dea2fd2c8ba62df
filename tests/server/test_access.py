"""What is allowed or refused over HTTP, by token, scope, host, origin, size and rate."""

import asyncio
import json
import shutil
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.command_line import over
from tests.mcp.mcp_world import MARA, NOOR
from tests.server.served_world import QUESTION, Running, new_store, serving

from secondhop.cli.mcp_command import Address
from secondhop.errors import ReadOnlyStoreError, SecondhopError, UsageError
from secondhop.server.gate import Gate
from secondhop.server.limits import ServerLimits
from secondhop.server.metrics import Metrics
from secondhop.server.problems import problem_of
from secondhop.server.serve import expect_private
from secondhop.server.tokens import FILE, TokenFile, tokens_of

HERE, THERE = f"/v1/entities/{MARA}", f"/v1/entities/{NOOR}"
ASKED = {"question": QUESTION}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    store = tmp_path_factory.mktemp("guarded") / "store"
    limits = ServerLimits(requests_per_s=0, body_bytes=20_000, body_s=1.0)
    with serving(store, new_store(store), limits=limits) as one:
        yield one


def status(answer: httpx.Response) -> int:
    """The status; asserts that a refusal says why in a problem document."""
    if answer.status_code >= 400:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == answer.status_code
        assert answer.json()["detail"]
    return answer.status_code


def test_without_a_valid_token_nothing_is_answered(running: Running) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic bWFyYTo="}):
        with httpx.Client(base_url=running.url, headers=headers) as stranger:
            for path in (HERE, "/v1/entities", "/metrics", f"{HERE}/nothing"):
                answer = stranger.get(path)
                assert status(answer) == 401
                assert answer.headers["www-authenticate"] == "Bearer"
                assert answer.json()["type"] == "urn:secondhop:problem:unauthorized"


def test_a_token_opens_its_own_entity_alone(running: Running) -> None:
    with running.client(MARA) as mara, running.client(NOOR) as noor:
        asked = [status(client.post(f"{THERE}/recall", json=ASKED)) for client in (mara, noor)]
        unknown = status(mara.get("/v1/entities/nobody"))
        session = mara.post(f"{HERE}/sessions", json=ASKED).json()["session_id"]
        trace = mara.post(f"{HERE}/recall", json=ASKED).json()["trace_id"]
        foreign = [
            status(noor.get(f"{THERE}/sessions/{session}")),
            status(noor.get(f"{THERE}/traces/{trace}")),
            status(noor.get(f"{THERE}/memories/plan")),
            status(noor.delete(f"{THERE}/memories/plan")),
        ]
        assert mara.get("/v1/entities").json() == [MARA]

    assert asked == [403, 200]
    assert unknown == 403
    assert foreign == [404, 404, 404, 404]


def test_an_entity_is_deleted_by_those_who_may_write_to_it(running: Running) -> None:
    own, reading = (
        {"Authorization": f"Bearer {TokenFile(running.store / FILE).create(['lea'], scope)[0]}"}
        for scope in ("write", "read")
    )
    with running.client(NOOR) as noor, httpx.Client(base_url=running.url, timeout=60) as http:
        lea = "/v1/entities/lea"
        stored = http.post(f"{lea}/remember", json={"text": "The key is red."}, headers=own)
        every = {"everything": "true"}
        refused = [
            status(noor.delete(lea, params=every)),
            status(http.delete(lea, params=every, headers=reading)),
            status(http.delete(lea, headers=own)),
        ]
        still = http.get(lea, headers=own).json()["memories"]
        gone = [status(http.delete(lea, params=every, headers=own)) for _ in range(2)]
        asked = http.post(f"{lea}/recall", json=ASKED, headers=own)
        again = http.post(f"{lea}/remember", json={"text": "The key is blue."}, headers=own)

    assert [status(stored), *refused, still] == [201, 403, 403, 422, 1]
    assert gone == [204, 404]
    assert [status(asked), status(again)] == [404, 201]


def test_an_entity_with_a_slash_is_reached_by_its_own_token_alone(running: Running) -> None:
    file = TokenFile(running.store / FILE)
    names = {"acme/ana": "acme%2Fana", "acme%2Fana": "acme%252Fana", "acme": "acme"}
    for name, path in names.items():
        headers = {"Authorization": f"Bearer {file.create([name], 'write')[0]}"}
        with httpx.Client(base_url=running.url, headers=headers, timeout=60) as own:
            here = f"/v1/entities/{path}"
            said = [{"role": "user", "content": f"about {name}"}]
            memory = {"memory_id": "a/b", "created_at": "2026-01-05T10:00Z", "messages": said}
            assert status(own.post(f"{here}/memories", json={"memories": [memory]})) == 201
            assert own.get(here).json()["entity"] == name
            for memory_id in ("a/b", "a%2Fb"):
                assert f"about {name}" in own.get(f"{here}/memories/{memory_id}").text
            others = [status(own.get(f"/v1/entities/{one}")) for one in names.values()]
            assert sorted(others) == [200, 403, 403]


def test_a_scope_holds_what_it_says(running: Running) -> None:
    with running.client("reader") as reader, running.client(MARA) as writer:
        assert status(reader.post(f"{HERE}/recall", json=ASKED)) == 200
        assert status(reader.post(f"{HERE}/remember", json={"text": "x"})) == 403
        assert status(reader.delete(f"{HERE}/memories/plan")) == 403
        assert status(writer.get("/metrics")) == 403
        assert status(writer.put(HERE)) == 405


def test_a_revoked_token_is_refused_at_once(running: Running) -> None:
    file = TokenFile(running.store / FILE)
    text, token = file.create([MARA], "read")
    with httpx.Client(base_url=running.url, headers={"Authorization": f"Bearer {text}"}) as client:
        assert status(client.get(HERE)) == 200
        file.revoke(token.token_id)
        assert status(client.get(HERE)) == 401


def test_a_body_may_be_so_long_and_must_arrive(running: Running) -> None:
    def dripping() -> Iterator[bytes]:
        for _ in range(40):
            yield b" " * 1000

    with running.client() as client:
        whole = client.post(f"{HERE}/recall", json={"question": "x" * 30_000})
        dripped = client.post(f"{HERE}/recall", content=dripping())
        assert (status(whole), status(dripped)) == (413, 413)
        cue = client.post(f"{HERE}/cues/a/ingest", json={"text": "x" * 30_000})
        assert status(cue) == 413  # it is not an upload
    host, port = running.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as slow:
        head = f"POST {HERE}/recall HTTP/1.1\r\nHost: {host}\r\nContent-Length: 100\r\n"
        token = f"Authorization: Bearer {running.tokens[MARA]}\r\n\r\n"
        slow.sendall((head + token).encode() + b"{")
        assert slow.recv(4096).startswith(b"HTTP/1.1 408")


async def test_an_answer_that_takes_too_long_is_given_up() -> None:
    async def slow(*_: object) -> None:
        await asyncio.sleep(60)

    gate = Gate(
        slow,
        keyring=None,
        limits=ServerLimits(request_s=0.1),
        metrics=Metrics(),
        expect_store=lambda: None,
    )
    async with httpx.AsyncClient(transport=httpx.ASGITransport(gate), base_url="http://x") as here:
        assert status(await here.get(HERE)) == 504


def test_a_store_that_cannot_be_written_is_not_ready_and_the_answer_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(*_: object) -> bool:
        return False

    store = tmp_path / "store"
    with serving(store, new_store(store)) as running, running.client() as mara:
        monkeypatch.setattr("secondhop.server.access.os.access", closed)
        probed = mara.get("/readyz")
    told = problem_of(ReadOnlyStoreError(f"{store} cannot be written"))

    assert (status(probed), told.status) == (503, 503)
    assert probed.json()["detail"] == told.detail
    assert "cannot be written" in told.detail
    assert str(store) not in told.detail


def test_a_store_that_is_gone_is_neither_ready_nor_begun_anew(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with serving(store, new_store(store)) as running, running.client() as mara:
        assert status(mara.post(f"{HERE}/recall", json=ASKED)) == 200
        store.rename(tmp_path / "moved")
        assert status(mara.get("/readyz")) == 503
        assert status(mara.post(f"{HERE}/recall", json=ASKED)) == 503
        assert status(mara.post(f"{HERE}/memories", json={"memories": []})) == 503
        assert not (store / "store.json").exists()
        shutil.rmtree(store, ignore_errors=True)  # the trace of the first recall may be there
        (tmp_path / "moved").rename(store)
        assert status(mara.post(f"{HERE}/recall", json=ASKED)) == 200


def test_a_page_of_another_site_reaches_nothing(tmp_path: Path) -> None:
    store = tmp_path / "store"
    new_store(store)
    friend = "https://friend.example"
    with serving(store, origins=[friend]) as open_here, open_here.client("") as client:
        assert status(client.post(f"{HERE}/recall", json=ASKED)) == 200
        assert status(client.get(HERE, headers={"Host": "evil.example"})) == 421
        evil = {"Origin": "https://evil.example"}
        refused = client.post(f"{HERE}/remember", json={"text": "x"}, headers=evil)
        assert status(refused) == 403
        assert "access-control-allow-origin" not in client.get(HERE, headers=evil).headers
        allowed = client.post(f"{HERE}/recall", json=ASKED, headers={"Origin": friend})
        assert allowed.headers["access-control-allow-origin"] == friend


def test_an_origin_that_is_no_address_is_refused(running: Running) -> None:
    with running.client() as client:
        for path in ("/healthz", HERE):
            assert status(client.get(path, headers={"Origin": "http://["})) == 400


def test_damaged_tokens_let_nobody_in_and_are_told_as_such(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with serving(store, new_store(store)) as running, running.client() as mara:
        (store / FILE).write_text("[{")
        answer = mara.get(HERE)
        assert (status(answer), answer.json()["title"]) == (500, "Store")


def test_tokens_lie_in_the_folder_of_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    tokens_of("~/mem").create([MARA], "read")
    assert (tmp_path / "home" / "mem" / FILE).is_file()


def test_too_many_requests_wait(tmp_path: Path) -> None:
    store = tmp_path / "store"
    limits = ServerLimits(requests_per_s=2)
    with serving(store, new_store(store), limits=limits) as one, one.client() as client:
        assert [status(client.get(HERE)) for _ in range(4)] == [200] * 4
        late = next(one for one in iter(lambda: client.get(HERE), None) if status(one) == 429)
        time.sleep(int(late.headers["retry-after"]))
        assert status(client.get(HERE)) == 200


def test_other_machines_are_served_with_tokens_alone(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="tokens create"):
        expect_private(Address("0.0.0.0", 8000), [])
    expect_private(Address("127.0.0.1", 8000), [])
    TokenFile(tmp_path / FILE).create([MARA], "read")
    expect_private(Address("0.0.0.0", 8000), TokenFile(tmp_path / FILE).tokens())


def test_a_port_that_is_taken_is_told_with_what_to_do() -> None:
    with (
        Address("127.0.0.1", 0).listening() as taken,
        pytest.raises(SecondhopError, match=r"in use; name another port .`serve --port`"),
    ):
        Address("127.0.0.1", taken.getsockname()[1]).listening()


def test_tokens_are_made_listed_and_revoked_at_the_command_line(tmp_path: Path) -> None:
    run = over(tmp_path / "store")
    created = run("tokens", "create", MARA, "--scope", "write", "--note", "phone")
    text = created.stdout.strip()
    made = json.loads(run("tokens", "list", "--json").stdout)

    kept = (tmp_path / "store" / FILE).read_text(encoding="utf-8")
    assert text.startswith("shop_")
    assert text not in kept
    assert created.stderr == f"secondhop: nothing is stored for '{MARA}' yet\n"
    assert run("tokens", "create", "*").stderr == ""
    assert (tmp_path / "store" / FILE).stat().st_mode & 0o077 == 0
    assert [(one["entities"], one["scope"], one["note"]) for one in made] == [
        ([MARA], "write", "phone")
    ]
    named = run("remember", "x", "--entity", "*")
    assert (named.exit_code, "'*' opens every entity" in named.stderr) == (2, True)
    assert run("tokens", "revoke", made[0]["token_id"]).exit_code == 0
    assert run("tokens", "revoke", made[0]["token_id"]).exit_code == 2
    assert run("tokens", "create", "--scope", "write").exit_code == 2
    assert run("tokens", "create", MARA, "--scope", "all").exit_code == 2


def test_every_answer_has_the_headers_that_keep_a_page_harmless(running: Running) -> None:
    with running.client("") as nobody:
        for path in ("/", "/static/nothing.js", "/healthz", HERE):
            headers = nobody.get(path).headers
            assert "default-src 'none'" in headers["content-security-policy"]
            assert "unsafe" not in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"

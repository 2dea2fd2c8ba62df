"""Tokens of a store in PostgreSQL: what one worker makes or revokes holds at all workers."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from fastapi.testclient import TestClient
from tests.command_line import ran
from tests.postgres_server import PostgresForTests, running_postgres
from tests.server.served_world import wait_for

from secondhop.cli.options import Common
from secondhop.errors import StoreError
from secondhop.recall import Recall
from secondhop.server.app import create_app
from secondhop.server.serve import served_of
from secondhop.server.tokens import FRESH_S, Keyring, tokens_of

pytestmark = pytest.mark.slow
HERE = "/v1/entities/mara"


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresForTests]:
    with running_postgres() as one:
        yield one


@pytest.fixture
def address(postgres: PostgresForTests) -> str:
    address = postgres.database()
    with Recall.open(address, entity="mara", embedder="hashing") as recall:
        recall.memories.remember("The tyres are in the cellar.")
    return address


@pytest.fixture
def workers(address: str) -> Iterator[list[TestClient]]:
    common = Common(store=address, chroma="", llm="offline", embedder="hashing")
    with ExitStack() as closes:
        keyrings = [Keyring(tokens_of(address)) for _ in range(2)]
        apps = [create_app(served_of(common), keyring=one) for one in keyrings]
        yield [closes.enter_context(TestClient(app)) for app in apps]


def status(worker: TestClient, token: str = "") -> int:
    return worker.get(HERE, headers={"Authorization": f"Bearer {token}"}).status_code


def expect_refused(worker: TestClient, token: str = "") -> None:
    wait_for(lambda: status(worker, token) == 401, seconds=5 * FRESH_S)


def test_a_token_made_at_one_address_works_at_the_other_until_it_is_revoked(
    address: str, workers: list[TestClient]
) -> None:
    assert [status(one) for one in workers] == [200, 200]  # without tokens, this machine is served

    text = ran("tokens", "create", "mara", "--store", address).stdout.strip()
    for worker in workers:
        expect_refused(worker)
        assert status(worker, text) == 200

    (token,) = tokens_of(address).tokens()
    assert text not in token.model_dump_json()
    ran("tokens", "revoke", token.token_id, "--store", address)
    for worker in workers:
        expect_refused(worker, text)


def test_without_the_database_nobody_gets_in(
    postgres: PostgresForTests, address: str, workers: list[TestClient]
) -> None:
    tokens_of(address).create(["mara"], "read")
    expect_refused(workers[0])
    postgres.kill()
    try:
        wait_for(lambda: status(workers[0]) == 503, seconds=5 * FRESH_S)
        assert workers[0].get("/healthz").status_code == 200
        with pytest.raises(StoreError):
            tokens_of(address).tokens()
    finally:
        postgres.start()
    expect_refused(workers[0])

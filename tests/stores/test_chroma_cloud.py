"""Vectors in a tenant and database of a Chroma that needs a key, like Chroma Cloud."""

from collections.abc import Generator
from contextlib import aclosing, closing, contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import chromadb
import pytest
from chromadb.config import Settings

from secondhop import Recall
from secondhop.errors import StoreError
from secondhop.stores.vectors.chroma_server import ChromaServer

pytestmark = pytest.mark.slow


async def test_a_tenant_and_a_database_are_used_where_the_environment_names_them(
    chroma_server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = urlsplit(chroma_server)
    admin = chromadb.AdminClient(
        Settings(
            chroma_api_impl="chromadb.api.fastapi.FastAPI",
            chroma_server_host=place.hostname,
            chroma_server_http_port=place.port,
        )
    )
    admin.create_tenant("acme")
    admin.create_database("memories", tenant="acme")
    close(admin)
    monkeypatch.setenv("CHROMA_TENANT", "acme")
    monkeypatch.setenv("CHROMA_DATABASE", "memories")

    opened = await Recall.aopen(tmp_path, embedder="hashing", chroma_url=chroma_server)
    async with aclosing(opened) as recall:
        await recall.memories.aremember("The tyres are in the cellar.", memory_id="tyres")
        assert (await recall.arecall("Where are the tyres?")).ids() == ["tyres"]

    client = chromadb.HttpClient(
        place.hostname or "", place.port or 0, tenant="acme", database="memories"
    )
    assert [one.count() for one in client.list_collections()] == [1]
    close(client)


def test_the_key_goes_with_every_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMA_API_KEY", "ck-secret")
    with refusing_server() as (url, keys):
        server = ChromaServer(url, store="here")
        with closing(server), pytest.raises(StoreError) as refused:
            server.drop("any")

    assert keys
    assert set(keys) == {"ck-secret"}
    assert "ck-secret" not in str(refused.value)


def close(client: Any) -> None:
    """Close the connections of Chroma's own client, which has no method for it."""
    vars(client._server)["_session"].close()


@contextmanager
def refusing_server() -> Generator[tuple[str, list[str | None]], None, None]:
    """(address, keys that were sent) of a server that refuses every request."""
    keys: list[str | None] = []

    class Refuses(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            keys.append(self.headers.get("x-chroma-token"))
            self.send_response(403)
            self.end_headers()
            self.wfile.write(b'{"error": "AuthorizationError", "message": "no such key"}')

        do_POST = do_DELETE = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Refuses)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", keys
    finally:
        server.shutdown()
        server.server_close()

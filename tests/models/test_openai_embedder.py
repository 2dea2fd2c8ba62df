from collections.abc import Generator

import numpy as np
import pytest
from tests.models.embeddings_server import EmbeddingsServer

from secondhop.errors import ModelError
from secondhop.models import openai_embedder
from secondhop.models.openai_client import OpenAIConnection
from secondhop.models.openai_embedder import OpenAIEmbedder


@pytest.fixture
def embeddings_server() -> Generator[EmbeddingsServer]:
    server = EmbeddingsServer()
    yield server
    server.close()


def embedder_of(server: EmbeddingsServer, model: str = "m") -> OpenAIEmbedder:
    connection = OpenAIConnection(
        base_url=server.base_url, api_key="secret-key", timeout_s=2.0, max_wait_s=5.0
    )
    return OpenAIEmbedder(model, connection=connection)


NO_HEADERS = dict[str, str]()
BROKEN = (500, NO_HEADERS, b'{"error": {"message": "broken"}}')
HANG_UP = (0, NO_HEADERS, b"")


@pytest.mark.parametrize("honours_base64", [True, False])
async def test_rows_come_back_in_order_and_of_unit_length_whatever_the_encoding(
    embeddings_server: EmbeddingsServer, honours_base64: bool
) -> None:
    embeddings_server.honours_base64 = honours_base64
    embedder = embedder_of(embeddings_server)
    rows = await embedder.embed_passages(["a", "abcd"])
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0)
    assert rows[0, 0] / rows[0, 1] == pytest.approx(0.5)  # the first number is the text's length
    assert rows[1, 0] / rows[1, 1] == pytest.approx(2.0)
    await embedder.aclose()


@pytest.mark.parametrize(
    "fault",
    [
        (429, {"Retry-After": "0"}, b"{}"),
        BROKEN,
        HANG_UP,
        (408, NO_HEADERS, b"{}"),
        (503, NO_HEADERS, b"busy"),
    ],
    ids=["429", "500", "hang-up", "408", "503"],
)
async def test_a_failure_that_passes_is_tried_again(
    embeddings_server: EmbeddingsServer, fault: tuple[int, dict[str, str], bytes]
) -> None:
    embeddings_server.script = [fault]
    embedder = embedder_of(embeddings_server)
    assert (await embedder.embed_queries(["a"])).shape == (1, 8)
    assert len(embeddings_server.requests) == 2
    await embedder.aclose()


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ((400, NO_HEADERS, b'{"error": {"message": "too long"}}'), "HTTP 400.*too long"),
        ((401, NO_HEADERS, b'{"error": {"message": "no"}}'), "HTTP 401, check the API key"),
        ((404, NO_HEADERS, b"{}"), "HTTP 404, check the model"),
        ((429, {"Retry-After": "3600"}, b"{}"), "HTTP 429, slow down"),
        (
            (429, NO_HEADERS, b'{"error": {"message": "pay", "code": "insufficient_quota"}}'),
            "quota",
        ),
        ((200, NO_HEADERS, b'{"object": "list", "data": []}'), "protocol|0 vectors"),
        ((200, {"Content-Type": "text/html"}, b"<html>hello</html>"), "protocol"),
        ((200, NO_HEADERS, b"{not json"), "vectors|failed"),
        ((200, NO_HEADERS, b'{"data": [{"index": 0, "embedding": [0.0, 0.0]}]}'), "zero"),
        (
            (200, NO_HEADERS, b'{"data": [{"index": 0, "embedding": ["x"]}]}'),
            "did not return vectors",
        ),
        ((200, NO_HEADERS, b'{"data": [{"index": 7, "embedding": [1.0]}]}'), "vectors"),
    ],
)
async def test_what_no_second_try_would_cure_fails_at_once_and_says_what_to_do(
    embeddings_server: EmbeddingsServer, answer: tuple[int, dict[str, str], bytes], told: str
) -> None:
    embeddings_server.script = [answer]
    embedder = embedder_of(embeddings_server)
    with pytest.raises(ModelError, match=told) as failure:
        await embedder.embed_queries(["a private question"])
    assert len(embeddings_server.requests) == 1
    assert "secret-key" not in str(failure.value)
    assert "private" not in str(failure.value)
    await embedder.aclose()


async def test_texts_are_sent_in_requests_that_are_small_enough(
    embeddings_server: EmbeddingsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_embedder, "TEXTS_PER_REQUEST", 3)
    monkeypatch.setattr(openai_embedder, "BYTES_PER_REQUEST", 10)
    embedder = embedder_of(embeddings_server)
    rows = await embedder.embed_passages(["a", "b", "c", "d", "eeeeeeee", "ffffffff"])
    sent = [request["input"] for request in embeddings_server.requests]
    assert sent == [["a", "b", "c"], ["d", "eeeeeeee"], ["ffffffff"]]
    assert rows.shape == (6, 8)
    await embedder.aclose()


async def test_texts_that_the_protocol_refuses_are_replaced(
    embeddings_server: EmbeddingsServer,
) -> None:
    embedder = embedder_of(embeddings_server)
    await embedder.embed_passages(["", " \n", "half \ud83d an emoji"])
    sent = [request["input"] for request in embeddings_server.requests]
    assert sent == [[".", ".", "half ? an emoji"]]
    await embedder.aclose()


@pytest.mark.model
async def test_a_text_that_is_too_long_for_the_model_is_cut(
    embeddings_server: EmbeddingsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_embedder, "TOKENS_PER_TEXT", 5)
    embedder = embedder_of(embeddings_server)
    await embedder.embed_passages(["one two three four five six seven"])
    assert embeddings_server.requests[0]["input"] == ["one two three four five"]
    await embedder.aclose()

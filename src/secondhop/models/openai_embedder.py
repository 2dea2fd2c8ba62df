"""Embeddings from OpenAI, or any server that speaks its embeddings protocol."""

from collections.abc import Iterator, Sequence

from secondhop.errors import ModelError, UsageError
from secondhop.models.openai_client import (
    OpenAIClients,
    OpenAIConnection,
    api_key_of,
    explain,
    place_of,
)
from secondhop.models.remote_embedder import RemoteEmbedder, Rows
from secondhop.models.retry_policy import retried

_KNOWN_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
TEXTS_PER_REQUEST = 256
BYTES_PER_REQUEST = 250_000
"""UTF-8 bytes. A text never has more tokens than bytes; OpenAI takes 300,000 tokens per request."""
TOKENS_PER_TEXT = 8_000
"""Longer texts are cut; OpenAI's models take 8,192 tokens."""
_STAND_IN = "."
"""Sent for a text without visible characters, because the protocol refuses an empty text."""


class OpenAIEmbedder(RemoteEmbedder):
    """An embedding model behind the OpenAI protocol; rows are checked and scaled to length 1.

    Safe to use from several event loops. Close with `aclose()` on the loop that used it.
    """

    def __init__(self, model: str, *, connection: OpenAIConnection | None = None) -> None:
        """The model id is "openai:<model>". Raises UsageError if `model` is empty."""
        if not model:
            raise UsageError("an OpenAI embedder needs a model name, e.g. text-embedding-3-small")
        super().__init__(f"openai:{model}", dimension=_KNOWN_DIMENSIONS.get(model))
        self._model, self._clients = model, OpenAIClients(connection or OpenAIConnection())

    async def aclose(self) -> None:
        """Close the running loop's connections."""
        await self._clients.aclose()

    async def _rows(self, texts: Sequence[str], *, queries: bool) -> Rows:
        del queries  # the protocol makes no difference
        rows: list[list[float]] = []
        for batch in requests_of(texts):
            rows += await self._request(batch)
        return rows

    async def _request(self, texts: list[str]) -> list[list[float]]:
        client = self._clients.current()
        source = f"{self.model_id} at {place_of(str(client.base_url))}"

        async def request() -> list[list[float]]:
            response = await client.embeddings.create(model=self._model, input=texts)
            by_index = {row.index: row.embedding for row in response.data}
            if len(response.data) != len(texts) or set(by_index) != set(range(len(texts))):
                raise ModelError(
                    f"{source} returned {len(by_index)} vectors for {len(texts)} texts"
                )
            return [by_index[index] for index in range(len(texts))]

        connection = self._clients.connection
        return await retried(
            request,
            attempts=connection.attempts,
            longest_wait_s=lambda: connection.max_wait_s,
            what=f"embedding with {source}",
            explain=lambda error: explain(error, key=api_key_of(connection.api_key)),
        )


def requests_of(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in order, in batches that fit into one request; a text that is too long is cut."""
    batch: list[str] = []
    used = 0
    for text in texts:
        sent = _sendable(text)
        size = len(sent.encode("utf-8"))
        if batch and (len(batch) == TEXTS_PER_REQUEST or used + size > BYTES_PER_REQUEST):
            yield batch
            batch, used = [], 0
        batch.append(sent)
        used += size
    if batch:
        yield batch


def _sendable(text: str) -> str:
    if not text.strip():
        return _STAND_IN
    if len(text.encode("utf-8")) <= TOKENS_PER_TEXT:  # a token has at least one byte
        return text
    from secondhop.models.tokens import truncate_to_tokens

    return truncate_to_tokens(text, TOKENS_PER_TEXT)

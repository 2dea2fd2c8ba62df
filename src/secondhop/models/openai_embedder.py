"""Embeddings from OpenAI, or any server that speaks its embeddings protocol."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from secondhop.errors import ModelError, UsageError
from secondhop.models.embedder import Vectors
from secondhop.models.openai_address import place_of
from secondhop.models.openai_client import OpenAIClients, OpenAIConnection, call_with_retries
from secondhop.models.unit_vectors import unit_vectors

_KNOWN_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
_STAND_IN = "."
"""Sent for a text without a visible character: the protocol refuses an empty one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAIEmbedderConfig:
    """Which model, and how much to send it at once."""

    model: str
    connection: OpenAIConnection = field(default_factory=OpenAIConnection)
    dimensions: int | None = None
    """Asks the server for shorter vectors; None: as long as the model makes them."""
    texts_per_request: int = 256
    bytes_per_request: int = 250_000
    """UTF-8 bytes; never fewer than tokens, of which OpenAI takes 300,000 a request."""
    tokens_per_text: int = 8_000
    """Longer texts are cut; OpenAI's models take 8,192 tokens."""
    query_prefix: str = ""
    passage_prefix: str = ""

    def __post_init__(self) -> None:
        if not self.model:
            raise UsageError("an OpenAI embedder needs a model name, e.g. text-embedding-3-small")
        bounds = (self.texts_per_request, self.bytes_per_request, self.tokens_per_text)
        if min(bounds) < 1 or (self.dimensions is not None and self.dimensions < 1):
            raise UsageError("OpenAIEmbedderConfig: every limit, and dimensions, must be >= 1")


class OpenAIEmbedder:
    """An embedding model behind the OpenAI protocol; rows are checked and scaled to length 1.

    Safe to use from several event loops. Close with `aclose()` on the loop that used it.
    """

    def __init__(self, config: OpenAIEmbedderConfig) -> None:
        self._config = config
        self._clients = OpenAIClients(config.connection)
        self._dimension = config.dimensions or _KNOWN_DIMENSIONS.get(config.model)

    @property
    def model_id(self) -> str:
        """ "openai:<model>", with the length when one was asked for."""
        asked = self._config.dimensions
        return f"openai:{self._config.model}" + (f"/{asked}" if asked else "")

    @property
    def dimension(self) -> int:
        """Length of a vector.

        Raises:
            ModelError: not known before the first answer, unless `dimensions` was given.
        """
        if self._dimension is None:
            raise ModelError(
                f"the length of {self.model_id}'s vectors is not known yet; "
                f"await learn_dimension(), or give `dimensions`"
            )
        return self._dimension

    async def learn_dimension(self) -> int:
        """Length of a vector; asks the server once when it is not known."""
        if self._dimension is None:
            await self._embed(["dimension"])
        return self.dimension

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """float32 [len(texts), dim], rows of unit length.

        Raises:
            ModelError: the server refused, failed at every try, or answered something else.
        """
        return await self._embed([self._config.passage_prefix + text for text in texts])

    async def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """As for passages, with the query prefix."""
        return await self._embed([self._config.query_prefix + text for text in texts])

    async def aclose(self) -> None:
        """Close the running loop's connections."""
        await self._clients.aclose()

    async def _embed(self, texts: Sequence[str]) -> Vectors:
        batches = [await self._embed_batch(batch) for batch in self._batches(texts)]
        if not batches:
            return np.zeros((0, self._dimension or 0), dtype=np.float32)
        return np.concatenate(batches)

    async def _embed_batch(self, texts: list[str]) -> Vectors:
        from openai import omit

        client, config = self._clients.current(), self._config
        source = f"{self.model_id} at {place_of(str(client.base_url))}"

        async def request() -> list[list[float]]:
            response = await client.embeddings.create(
                model=config.model,
                input=texts,
                dimensions=config.dimensions or omit,
            )
            by_index = {row.index: row.embedding for row in response.data}
            if len(response.data) != len(texts) or set(by_index) != set(range(len(texts))):
                raise ModelError(
                    f"{source} returned {len(by_index)} vectors for {len(texts)} texts"
                )
            return [by_index[index] for index in range(len(texts))]

        try:
            rows = await call_with_retries(
                request, connection=config.connection, what=f"embedding with {source}"
            )
            vectors = unit_vectors(rows, count=len(texts), dimension=self._dimension, source=source)
        except (ValueError, TypeError, AttributeError) as error:  # the SDK does not check shapes
            raise ModelError(
                f"{source} did not answer in the embeddings protocol: {error}; check base_url"
            ) from error
        self._dimension = vectors.shape[1]
        return vectors

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        """Texts in order, cut to what a request may hold."""
        batch: list[str] = []
        used = 0
        for text in texts:
            sent = self._sendable(text)
            size = len(sent.encode("utf-8"))
            full = len(batch) == self._config.texts_per_request
            if batch and (full or used + size > self._config.bytes_per_request):
                yield batch
                batch, used = [], 0
            batch.append(sent)
            used += size
        if batch:
            yield batch

    def _sendable(self, text: str) -> str:
        plain = text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate is no UTF-8
        if not plain.strip():
            return _STAND_IN
        limit = self._config.tokens_per_text
        if len(plain.encode("utf-8")) <= limit:  # a token is a byte at least
            return plain
        from secondhop.models.tokens import truncate_to_tokens

        return truncate_to_tokens(plain, limit)

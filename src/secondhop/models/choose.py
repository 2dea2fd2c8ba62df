"""From a word in a setting to an embedder."""

from pathlib import Path

from secondhop.errors import UsageError
from secondhop.models.embedder import Embedder

EMBEDDER_SPECS = ("default", "bge-small-en-v1.5", "hashing", "openai:MODEL")


def make_embedder(
    spec: str,
    *,
    cache_dir: Path | None = None,
    offline: bool = False,
    base_url: str | None = None,
    api_key: str | None = None,
) -> Embedder:
    """The embedder that `spec` names; nothing is loaded or fetched before its first use.

    Args:
        spec: one of `EMBEDDER_SPECS`; "default" is bge-small-en-v1.5.
        cache_dir: where model files live; None: the user's cache folder.
        offline: missing model files are an error instead of a download.
        base_url: server of an "openai:" model; None: OpenAI's rule (OPENAI_BASE_URL).
        api_key: key for it; None: OPENAI_API_KEY.

    Raises:
        UsageError: no such embedder.
    """
    kind, _, name = spec.partition(":")
    if spec in ("default", "bge-small-en-v1.5"):
        from secondhop.models.bge_onnx import BgeOnnxEmbedder

        return BgeOnnxEmbedder(cache_dir=cache_dir, offline=offline)
    if spec == "hashing":
        from secondhop.models.hashing import HashingEmbedder

        return HashingEmbedder()
    if kind == "openai" and name:
        from secondhop.models.openai_client import OpenAIConnection
        from secondhop.models.openai_embedder import OpenAIEmbedder, OpenAIEmbedderConfig

        connection = OpenAIConnection(base_url=base_url, api_key=api_key)
        return OpenAIEmbedder(OpenAIEmbedderConfig(model=name, connection=connection))
    raise UsageError(f"no embedder {spec!r}; choose one of: {', '.join(EMBEDDER_SPECS)}")

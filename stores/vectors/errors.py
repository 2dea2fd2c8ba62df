"""Chroma's errors as ours."""

from collections.abc import Generator
from contextlib import contextmanager

from secondhop.errors import CorruptStoreError, StoreError, StoreFullError


@contextmanager
def chroma_errors(place: str, *, cure: str) -> Generator[None, None, None]:
    """Around every call of Chroma; `cure` rebuilds the vectors. It gives no codes, only words."""
    from chromadb.errors import ChromaError, InternalError
    from httpx import HTTPError

    try:
        yield
    except (HTTPError, ConnectionError) as error:
        raise StoreError(
            f"the Chroma server at {place} does not answer ({error}); start it, or check the URL"
        ) from error
    except InternalError as error:
        raise _internal(error, place, cure=cure) from error
    except ChromaError as error:
        raise StoreError(f"Chroma at {place} refused: {error}") from error


def _internal(error: Exception, place: str, *, cure: str) -> StoreError:
    words = str(error).lower()
    if "is full" in words or "no space left" in words or "file too large" in words:
        return StoreFullError(
            f"no space is left for the vectors in {place}; free some and try again; "
            f"everything stored before is kept"
        )
    if "is locked" in words or "busy" in words:
        return StoreError(f"another program keeps {place} locked; try again when it is done")
    return CorruptStoreError(
        f"the vectors in {place} cannot be read ({error}); "
        f"the memories are safe: {cure} rebuilds the vectors"
    )

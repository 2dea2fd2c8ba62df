"""Bearer tokens of the HTTP server: which memories they open, and what they allow."""

import asyncio
import hmac
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

from pydantic import TypeAdapter, ValidationError

from secondhop.errors import StoreError, UsageError
from secondhop.graph.result import Frozen
from secondhop.stores.store_address import is_address
from secondhop.stores.store_directory import place_of_store
from secondhop.whole_files import write_whole

if TYPE_CHECKING:  # psycopg is optional
    from secondhop.stores.postgres.place import PostgresPlace

Scope: TypeAlias = Literal["read", "write", "admin"]
"""Each scope includes those before it. admin adds /metrics, and with "*" the list of entities."""

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)

EVERY_ENTITY: Final = "*"

FILE: Final = "tokens.json"
"""Name of the file of tokens in the store's folder."""

FRESH_S: Final = 1.0
"""How long a worker on a database may miss what was added or revoked elsewhere."""


class Token(Frozen):
    """A token without its text, which is shown only once, when the token is made."""

    token_id: str
    digest: str
    """SHA-256 of the text, in hex. The text is 256 random bits, so no salt is needed."""
    entities: tuple[str, ...]
    """Whose memories it opens; "*" stands for all."""
    scope: Scope
    created_at: datetime
    note: str = ""

    def opens(self, entity: str) -> bool:
        """Whether it opens the memory of `entity`."""
        return EVERY_ENTITY in self.entities or entity in self.entities

    def allows(self, scope: Scope) -> bool:
        """Whether its scope includes `scope`."""
        return SCOPES.index(self.scope) >= SCOPES.index(scope)


_TOKENS = TypeAdapter(list[Token])


def new_token(entities: Sequence[str], scope: Scope, *, note: str = "") -> tuple[str, Token]:
    """(text, token). Only the caller has the text; the token keeps its digest."""
    text = f"shop_{secrets.token_urlsafe(32)}"
    made = Token(
        token_id=secrets.token_hex(4),
        digest=digest_of(text),
        entities=tuple(dict.fromkeys(entities)),
        scope=scope,
        created_at=datetime.now(UTC),
        note=note,
    )
    return text, made


def digest_of(text: str) -> str:
    """The digest of a token's text: the same length for every text."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Tokens(ABC):
    """The tokens of a store. A running server notices when one is added or revoked."""

    @abstractmethod
    def tokens(self) -> list[Token]:
        """All tokens in the order in which they were made. This blocks.

        Raises:
            StoreError: they cannot be read.
        """

    @abstractmethod
    async def current(self) -> list[Token]:
        """The same without blocking for long; every request calls it."""

    @abstractmethod
    def _add(self, token: Token) -> None: ...

    @abstractmethod
    def _remove(self, token: Token) -> None: ...

    def create(self, entities: Sequence[str], scope: Scope, *, note: str = "") -> tuple[str, Token]:
        """Make a token, keep its digest, and return (text, token)."""
        text, made = new_token(entities, scope, note=note)
        self._add(made)
        return text, made

    def revoke(self, token_id: str) -> Token:
        """Remove a token; it opens nothing from now on.

        Raises:
            UsageError: there is no such token.
        """
        for token in self.tokens():
            if token.token_id == token_id:
                self._remove(token)
                return token
        raise UsageError(f"there is no token {token_id!r}; `secondhop tokens list` shows them")


def tokens_of(store: str | Path) -> Tokens:
    """The tokens of a store: in its folder, or in its database, where every worker sees them."""
    place = place_of_store(store, chroma_url=None)  # raises if psycopg is not installed
    if not is_address(store):
        return TokenFile(place.folder / FILE)
    from secondhop.stores.postgres.place import PostgresPlace

    assert isinstance(place, PostgresPlace)
    return TokenTable(place)


class TokenFile(Tokens):
    """`Tokens` in a file of the store's folder."""

    def __init__(self, path: Path) -> None:
        """`path`: the file, which is created with the first token."""
        self.path = path
        self._seen: tuple[int, int] | None = None
        self._tokens: list[Token] = []

    def tokens(self) -> list[Token]:
        """See `Tokens`."""
        try:
            stat = self.path.stat()
            now = (stat.st_mtime_ns, stat.st_size)
            if now != self._seen:
                self._tokens = _TOKENS.validate_json(self.path.read_bytes())
                self._seen = now
        except FileNotFoundError:
            self._tokens, self._seen = [], None
        except (OSError, ValidationError) as error:
            raise StoreError(
                f"the tokens in {self.path} cannot be read; delete the file and create new ones"
            ) from error
        return self._tokens

    async def current(self) -> list[Token]:
        """See `Tokens`; the file is read only after a change."""
        return self.tokens()

    def _add(self, token: Token) -> None:
        self._write([*self.tokens(), token])

    def _remove(self, token: Token) -> None:
        self._write([one for one in self.tokens() if one.token_id != token.token_id])

    def _write(self, tokens: Sequence[Token]) -> None:
        """Replace the file as a whole; only its owner may read it."""
        write_whole(self.path, _TOKENS.dump_json([*tokens], indent=1))
        self._seen = None


class TokenTable(Tokens):
    """`Tokens` in a PostgreSQL store. Other workers notice a change within `FRESH_S`."""

    def __init__(self, place: "PostgresPlace") -> None:
        """Does not connect yet."""
        self._place = place  # its connections stay open as long as it exists
        self._seen: list[Token] = []
        self._fresh_until = 0.0
        self._reading = asyncio.Lock()

    def tokens(self) -> list[Token]:
        """See `Tokens`."""
        return [Token.model_validate_json(text) for text in self._place.tokens.listed()]

    async def current(self) -> list[Token]:
        """See `Tokens`."""
        async with self._reading:
            if time.monotonic() >= self._fresh_until:
                self._seen = await asyncio.to_thread(self.tokens)
                self._fresh_until = time.monotonic() + FRESH_S
            return self._seen

    def _add(self, token: Token) -> None:
        self._place.tokens.add(token.token_id, token.model_dump_json())

    def _remove(self, token: Token) -> None:
        self._place.tokens.remove(token.token_id)


class Keyring:
    """Finds the token that a text belongs to."""

    def __init__(self, kept: Tokens, *, also: Sequence[Token] = ()) -> None:
        """`also`: tokens that only this process accepts, besides those in `kept`."""
        self._kept, self._also = kept, tuple(also)
        self._lets_in = True

    async def lets_everyone_in(self) -> bool:
        """Whether no token has been seen since the server started.

        The first token closes the server for good, even if it is revoked later.

        Raises:
            StoreError: the tokens cannot be read.
        """
        self._lets_in = self._lets_in and not (self._also or await self._kept.current())
        return self._lets_in

    async def find(self, text: str) -> Token | None:
        """The token with this text, compared in constant time; None if there is none.

        Raises:
            StoreError: the tokens cannot be read.
        """
        asked, found = digest_of(text), None
        for token in (*self._also, *await self._kept.current()):
            if hmac.compare_digest(token.digest, asked):
                found = token
        return found


LOCAL: Final = Token(
    token_id="local",
    digest="",
    entities=(EVERY_ENTITY,),
    scope="admin",
    created_at=datetime.fromtimestamp(0, UTC),
    note="everyone on this machine: the server runs without tokens",
)
"""Stands for every caller of a server without tokens."""

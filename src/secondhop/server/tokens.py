"""Bearer tokens of the HTTP server: which memories they open, and what they allow."""

import hmac
import json
import os
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from pydantic import TypeAdapter, ValidationError

from secondhop.errors import UsageError
from secondhop.graph.result import Frozen

Scope: TypeAlias = Literal["read", "write", "admin"]
"""Each holds those before it. admin: also /metrics, and the names of all its entities."""

SCOPES: Final[tuple[Scope, ...]] = get_args(Scope)

EVERY_ENTITY: Final = "*"

FILE: Final = "tokens.json"
"""In the store's folder."""


class Token(Frozen):
    """A token, without its text: that is shown once, when it is made."""

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
        """Whether it may do what needs `scope`."""
        return SCOPES.index(self.scope) >= SCOPES.index(scope)


_TOKENS = TypeAdapter(list[Token])


def new_token(entities: Sequence[str], scope: Scope, *, note: str = "") -> tuple[str, Token]:
    """(text, token): the text is known to the caller alone."""
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
    """What is compared: as long for every token."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class TokenFile:
    """The tokens of a store. A running server sees what is added and revoked."""

    def __init__(self, path: Path) -> None:
        """`path`: of the file; it is made with the first token."""
        self.path = path
        self._seen: tuple[int, int] | None = None
        self._tokens: list[Token] = []

    def tokens(self) -> list[Token]:
        """In the order in which they were made.

        Raises:
            UsageError: the file cannot be read.
        """
        try:
            stat = self.path.stat()
            now = (stat.st_mtime_ns, stat.st_size)
            if now != self._seen:
                self._tokens = _TOKENS.validate_json(self.path.read_bytes())
                self._seen = now
        except FileNotFoundError:
            self._tokens, self._seen = [], None
        except (OSError, ValidationError) as error:
            raise UsageError(
                f"the tokens in {self.path} cannot be read; delete the file and create new ones"
            ) from error
        return self._tokens

    def create(self, entities: Sequence[str], scope: Scope, *, note: str = "") -> tuple[str, Token]:
        """Make a token and keep its digest; (text, token)."""
        text, made = new_token(entities, scope, note=note)
        self._write([*self.tokens(), made])
        return text, made

    def revoke(self, token_id: str) -> Token:
        """Remove a token; it opens nothing from now on.

        Raises:
            UsageError: there is no such token.
        """
        known = self.tokens()
        gone = next((one for one in known if one.token_id == token_id), None)
        if gone is None:
            raise UsageError(f"there is no token {token_id!r}; `secondhop tokens list` shows them")
        self._write([one for one in known if one is not gone])
        return gone

    def _write(self, tokens: Sequence[Token]) -> None:
        """Replace the file as a whole; only its owner may read it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix(".part")
        part.unlink(missing_ok=True)
        rows = [token.model_dump(mode="json") for token in tokens]
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(rows, file, indent=1)
        part.replace(self.path)
        self._seen = None


class Keyring:
    """Tells which token a text is."""

    def __init__(self, file: TokenFile, *, also: Sequence[Token] = ()) -> None:
        """`also`: tokens of this process alone, beside those of the file."""
        self._file, self._also = file, tuple(also)
        self._lets_in = True

    def lets_everyone_in(self) -> bool:
        """Whether there has been no token yet since the server began; the first one closes it for
        good, also when it is revoked."""
        self._lets_in = self._lets_in and not (self._also or self._file.tokens())
        return self._lets_in

    def find(self, text: str) -> Token | None:
        """The token, compared in constant time; None: there is none of this text."""
        asked, found = digest_of(text), None
        for token in (*self._also, *self._file.tokens()):
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

"""Bearer tokens, each of one entity."""

import hmac
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import yaml
from mcp.server.auth.provider import AccessToken

from secondhop.errors import UsageError

SHORTEST = 16
"""Characters of a token that is not guessed; `openssl rand -hex 32` makes one of 64."""


class Tokens:
    """Tells whose a token is; a verifier of tokens for the server's HTTP side.

    Every token of the file is compared, by digest and in constant time, whichever one fits.
    """

    def __init__(self, entities: Mapping[str, str]) -> None:
        """`entities`: {token: entity}."""
        self._known = [(digest(token), entity) for token, entity in entities.items()]

    def entity_of(self, token: str) -> str | None:
        """The entity that the token is bound to; None: nobody's."""
        asked, found = digest(token), None
        for known, entity in self._known:
            if hmac.compare_digest(known, asked):
                found = entity
        return found

    async def verify_token(self, token: str) -> AccessToken | None:
        """As the MCP library asks; the entity is both client and subject."""
        entity = self.entity_of(token)
        if entity is None:
            return None
        return AccessToken(token=token, client_id=entity, scopes=[], subject=entity)


def digest(token: str) -> bytes:
    """What is compared: as long for every token."""
    return sha256(token.encode("utf-8", "surrogatepass")).digest()


def read_tokens(path: Path) -> Tokens:
    """The tokens of a YAML or JSON file, {token: entity}.

    Raises:
        UsageError: it cannot be read, holds none, or holds what is no token. No message shows one.
    """
    try:
        found: object = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"the tokens in {path} cannot be read: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError):
        raise UsageError(f"{path} is neither YAML nor JSON; write `TOKEN: ENTITY` a line") from None
    if not isinstance(found, dict) or not found:
        raise UsageError(f"{path} holds no tokens; write `TOKEN: ENTITY` a line")
    pairs: dict[object, object] = found  # pyright: ignore[reportUnknownVariableType] - YAML
    return Tokens(dict(checked(path, *pair) for pair in pairs.items()))


def checked(path: Path, token: object, entity: object) -> tuple[str, str]:
    """One line of the file.

    Raises:
        UsageError: a token that is no text or is too short, or no entity.
    """
    if not isinstance(entity, str) or not entity.strip():
        raise UsageError(f"{path}: the entity {entity!r} is no name; write `TOKEN: ENTITY` a line")
    if not isinstance(token, str) or len(token) < SHORTEST or token.split() != [token]:
        raise UsageError(
            f"{path}: a token of entity {entity!r} is no text of at least {SHORTEST} characters "
            f"without spaces; `openssl rand -hex 32` makes one (quote one that is all digits)"
        )
    return token, entity

"""Access to the tools over HTTP: bearer tokens of the store, each for one entity."""

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.server.mcpserver.exceptions import ToolError

from secondhop.server.tokens import EVERY_ENTITY, SCOPES, Keyring, Scope


class StoreTokens:
    """Verifies tokens for the MCP library. A token for several entities is refused, because most
    tools do not name the entity."""

    def __init__(self, keyring: Keyring) -> None:
        """`keyring`: the tokens of the store that is served."""
        self._keyring = keyring

    async def verify_token(self, token: str) -> AccessToken | None:
        """The access that a token gives; None (HTTP status 401) if it is refused."""
        found = await self._keyring.find(token)
        if found is None or len(found.entities) != 1 or EVERY_ENTITY in found.entities:
            return None
        scopes: list[str] = [scope for scope in SCOPES if found.allows(scope)]
        (entity,) = found.entities
        return AccessToken(token=token, client_id=found.token_id, scopes=scopes, subject=entity)


def bound_entity(named: str | None, *, needs: Scope, without_token: str | None) -> str:
    """The entity that the caller may use.

    Args:
        named: the entity that the caller names, if any.
        without_token: the entity of callers without a token; None: they need one.

    Raises:
        ToolError: a token is missing, another entity is named, or the token's scope is too small.
    """
    token = get_access_token()
    entity = token.subject if token is not None else without_token
    if entity is None:
        raise ToolError("no memory is bound to this connection; send a bearer token")
    if named is not None and named != entity:
        raise ToolError(f"this connection may use the memory of {entity!r} only")
    if token is not None and needs not in token.scopes:
        raise ToolError(f"this token has scope {token.scopes[-1]}; this needs {needs}")
    return entity

"""Access to the tools over HTTP: bearer tokens of the store, each for one entity."""

from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken
from mcp.server.mcpserver.exceptions import ToolError

from secondhop.server.tokens import EVERY_ENTITY, SCOPES, Keyring, Scope


class StoreTokens:
    """A verifier of tokens for the MCP library. One that opens several entities opens none here:
    most tools do not say whose memory they mean."""

    def __init__(self, keyring: Keyring) -> None:
        """`keyring`: of the store that is served."""
        self._keyring = keyring

    async def verify_token(self, token: str) -> AccessToken | None:
        """As the library asks; None: 401."""
        found = await self._keyring.find(token)
        if found is None or len(found.entities) != 1 or EVERY_ENTITY in found.entities:
            return None
        scopes: list[str] = [scope for scope in SCOPES if found.allows(scope)]
        (entity,) = found.entities
        return AccessToken(token=token, client_id=found.token_id, scopes=scopes, subject=entity)


def bound_entity(named: str | None, *, needs: Scope, without_token: str | None) -> str:
    """Whose memory the caller gets.

    Args:
        named: by the caller.
        without_token: whose memory a caller without a token gets.

    Raises:
        ToolError: an unknown token, another entity was named, or the token's scope is too small.
    """
    token = get_access_token()
    entity = token.subject if token is not None else without_token
    if entity is None:
        raise ToolError("no memory is bound to this connection; send a bearer token")
    if named is not None and named != entity:
        raise ToolError(f"this connection may use the memory of {entity!r} alone")
    if token is not None and needs not in token.scopes:
        raise ToolError(f"this token has scope {token.scopes[-1]}; this needs {needs}")
    return entity

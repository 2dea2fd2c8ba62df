"""Checks the arguments of tools, with error messages that an agent can act on."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, InputRequiredResult
from pydantic import ValidationError

from secondhop.errors import SecondhopError
from secondhop.recall_pool import RecallPool


class MemoryServer(MCPServer[RecallPool]):
    """An MCP server that refuses unknown arguments and explains invalid ones."""

    async def call_tool(
        self,
        name: str,
        arguments: dict[str, Any],
        context: Context[RecallPool, Any] | None = None,
    ) -> CallToolResult | InputRequiredResult:
        """As `MCPServer.call_tool`.

        Raises:
            ToolError: an argument is unknown or invalid, or the tool failed.
        """
        for tool in await self.list_tools():
            if tool.name == name:
                expect_known(name, arguments, known=tool.input_schema.get("properties", {}))
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            fault = error.__cause__
            if isinstance(fault, ValidationError):
                raise ToolError(f"{name}: {in_words(fault)}") from fault
            if isinstance(fault, SecondhopError | ToolError):  # without the library's prefix
                raise ToolError(str(fault)) from fault
            raise


def expect_known(tool: str, given: Iterable[str], *, known: Mapping[str, object]) -> None:
    """Raises ToolError for an argument that the tool does not have and would ignore."""
    for name in given:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            meant = f" (did you mean {near[0]!r}?)" if near else ""
            raise ToolError(
                f"{tool} has no argument {name!r}{meant}; it takes {', '.join(known)}. "
                f"Nothing was done; call it again without, or with the right name"
            )


def in_words(error: ValidationError) -> str:
    """Every invalid argument with its fault and the value given, without Pydantic's terms."""
    faults = [
        f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}{given(fault)}"
        for fault in error.errors(include_url=False)
    ]
    return f"{'; '.join(faults)}. Nothing was done; call it again with that put right"


def given(fault: Mapping[str, Any]) -> str:
    """The value given, for the message; "" if the argument is missing."""
    return "" if fault["type"] == "missing" else f", not {repr(fault['input'])[:60]}"

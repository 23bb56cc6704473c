"""The MCP server, built on the official SDK, over standard input or HTTP.

The work is synchronous and runs in threads; the handlers wait for it, report progress, and end it when the client
stops waiting.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

import anyio
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams
from starlette.types import ASGIApp

from longtake import __version__
from longtake.mcp.mcp_tools import Offer
from longtake.tools.core.tool_context import Budget
from longtake.web.http.access import Access, Guard
from longtake.web.http.limits import Limiter, Limits

PATH = "/mcp"
_AT_ONCE = 4  # calls that run at once; others wait their turn
_INSTRUCTIONS = "Answers questions about videos and cites the seconds that prove them. Call `ask`, or use the tools."


def make_server(offer: Offer, seconds: float) -> Server[dict[str, Any]]:
    """A server for an offer, in which no call takes longer than this many seconds."""
    turns = anyio.CapacityLimiter(_AT_ONCE)

    async def list_tools(
        context: ServerRequestContext[dict[str, Any]], params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        return ListToolsResult(tools=await anyio.to_thread.run_sync(offer.tools))

    async def call_tool(context: ServerRequestContext[dict[str, Any]], params: CallToolRequestParams) -> CallToolResult:
        loop = asyncio.get_running_loop()
        notified: list[Future[None]] = []

        def notify(event: Mapping[str, Any]) -> None:
            what = " ".join(filter(None, (event["type"], event["data"].get("tool"))))
            progress = context.session.report_progress(event["step"] + 1, message=what)
            notified.append(asyncio.run_coroutine_threadsafe(progress, loop))

        async with turns:
            budget = Budget(seconds)
            try:
                called = (params.name, params.arguments or {}, budget, notify, _session_of(context))
                result = await anyio.to_thread.run_sync(offer.call, *called, abandon_on_cancel=True)
                if notified:  # a client stops listening when it has the result
                    await asyncio.wait([asyncio.wrap_future(sent) for sent in notified])
                return result
            finally:
                budget.stop()

    return Server(
        "longtake",
        version=__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _session_of(context: ServerRequestContext[dict[str, Any]]) -> str:
    """The id of the client's session over HTTP. Empty if there are no sessions: on standard input, which has one
    client, and in the protocol of 2026-07-28, which treats all clients of a server as one.
    """
    return str(context.request.headers.get(MCP_SESSION_ID_HEADER, "")) if context.request else ""


async def serve_stdio(server: Server[dict[str, Any]]) -> None:
    """Serve on standard input and output until the input ends."""
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


def http_app(server: Server[dict[str, Any]], admitted: Access) -> ASGIApp:
    """Streamable HTTP at `PATH`, for clients that `admitted` lets in."""
    # The SDK's own check knows only loopback names, and no token; the guard in front of it knows both.
    unguarded = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    app = server.streamable_http_app(streamable_http_path=PATH, transport_security=unguarded)
    return Limiter(Guard(app, admitted), Limits())

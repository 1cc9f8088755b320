"""A server of the Python SDK 2.x. Arguments: stdio|http, then "stateless"."""

import os
import sys

from mcp.server import MCPServer

transport, *mode = sys.argv[1:]
mcp = MCPServer("interop-python-2")


@mcp.tool()
def echo(text: str) -> str:
    """Return the text."""
    return text


@mcp.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@mcp.resource("interop://greeting")
def greeting() -> str:
    """Say hello."""
    return "hello"


@mcp.prompt()
def review(code: str) -> str:
    """Ask for a review."""
    return f"Review {code}"


if transport == "http":
    port = int(os.environ["PORT"])
    mcp.run(transport="streamable-http", port=port, stateless_http=mode == ["stateless"])
else:
    mcp.run()

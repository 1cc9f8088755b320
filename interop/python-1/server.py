"""A server of the Python SDK 1.x. Arguments: stdio|http, then "stateless"."""

import os
import sys

from mcp.server.fastmcp import FastMCP

transport, *mode = sys.argv[1:]
mcp = FastMCP(
    "interop-python-1",
    port=int(os.environ.get("PORT", "8000")),
    stateless_http=mode == ["stateless"],
)


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
    mcp.run(transport="streamable-http")
else:
    mcp.run()

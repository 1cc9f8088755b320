"""A server of FastMCP 4. Arguments: stdio|http, then "stateless"."""

import os
import sys

from fastmcp import FastMCP

transport, *mode = sys.argv[1:]
mcp = FastMCP("interop-fastmcp-4")


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
    mcp.run(transport="http", port=port, stateless_http=mode == ["stateless"])
else:
    mcp.run()

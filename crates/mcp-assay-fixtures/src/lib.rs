//! MCP reference servers on raw pipes and sockets.

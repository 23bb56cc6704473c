"""Serves the tools and `ask` to other agents over the Model Context Protocol (MCP)."""

"""The tools and `ask`, offered to other agents over the Model Context Protocol (MCP)."""

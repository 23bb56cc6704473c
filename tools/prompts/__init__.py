"""Prompts of the tools, as files."""

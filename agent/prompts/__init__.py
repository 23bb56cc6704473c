"""Prompts as files, rendered by one function."""

"""Prompts used by the engines."""

"""Prompts of the engines, as files."""

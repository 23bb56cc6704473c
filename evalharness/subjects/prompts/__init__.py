"""Prompts for models at an endpoint."""

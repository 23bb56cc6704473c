"""Engines behind a model server."""

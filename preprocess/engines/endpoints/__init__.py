"""Engines that call a model server."""

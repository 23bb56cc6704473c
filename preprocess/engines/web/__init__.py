"""Engines that search the web."""

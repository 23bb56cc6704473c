"""Engines for speech and speakers."""

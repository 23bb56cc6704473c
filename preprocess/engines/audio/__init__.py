"""Engines for speech and sounds."""

"""Engines for people and faces."""

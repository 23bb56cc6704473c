"""Gathers evidence before any controller runs: from the named scope and the likely sources."""

"""Traces of runs: replayed, forked and exported."""

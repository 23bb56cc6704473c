"""Benchmarks of single parts: search, the graph, the harness, shots and moments."""

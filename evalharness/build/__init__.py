"""Builds benchmarks from videos."""

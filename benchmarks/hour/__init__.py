"""Benchmarks on an hour of video made of clips."""

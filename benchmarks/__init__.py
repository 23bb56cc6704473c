"""Benchmarks of Longtake: its speed on this machine, what it finds, and how often its answers are right."""

"""LongShOTBench."""

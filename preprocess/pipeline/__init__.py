"""Indexes a file: the order of steps, their progress, and the search index."""

"""Runs on disk: predictions, their journal, and resuming."""

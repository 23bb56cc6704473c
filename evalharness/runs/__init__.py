"""Runs on disk: predictions, their journal, and what resumes them."""

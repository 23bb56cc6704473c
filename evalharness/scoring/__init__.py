"""Scores from predictions and verdicts: pure functions."""

"""Computes scores from predictions and verdicts with pure functions."""

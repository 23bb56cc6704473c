"""Decides whether evidence supports a claim, and how the answer is published."""

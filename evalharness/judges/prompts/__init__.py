"""Prompts of model judges."""

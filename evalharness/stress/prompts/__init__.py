"""Prompts with which stress tests are made."""

"""Engines for text: reading it, embedding it, summing it up, translating it."""

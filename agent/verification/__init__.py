"""Checks what is exact about the statements of an answer, and has a model that reads judge the rest."""

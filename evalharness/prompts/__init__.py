"""Prompt sets: Longtake's own prompts, and those that papers and their released code describe."""

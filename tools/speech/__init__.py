"""Tools for what is said and heard, and what is made of it."""

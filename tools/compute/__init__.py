"""Tools that work something out."""

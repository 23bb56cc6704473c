"""The demo video: a short invented talk, made from a script, of which everything is known."""

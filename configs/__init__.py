"""Profiles: what `--config NAME` reads."""

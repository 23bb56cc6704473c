"""Profiles: the settings that `--config NAME` loads."""

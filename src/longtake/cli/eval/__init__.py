"""`longtake eval` and its commands."""

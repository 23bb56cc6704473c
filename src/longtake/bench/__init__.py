"""Measurements of Longtake itself: how fast it is on this machine, what it finds, and how often its answers hold."""

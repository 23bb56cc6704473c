"""Measurements: how fast Longtake is on this machine, and how often its answers hold."""

"""Longtake: questions about hour-long videos, answered with the seconds that prove them."""

__version__ = "0.1.0"

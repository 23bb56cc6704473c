"""Engines that run untrusted code."""

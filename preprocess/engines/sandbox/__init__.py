"""Engines that run code nobody has checked."""

"""Engines that find and track things."""

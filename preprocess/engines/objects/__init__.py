"""Engines that find and follow things."""

"""Engines that find sounds other than words."""

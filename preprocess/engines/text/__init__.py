"""Engines that read, embed, summarise and translate text."""

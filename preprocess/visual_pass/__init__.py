"""Decodes a video once and feeds every observer."""

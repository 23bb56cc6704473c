"""Requests that are none about a video: notes, the web, code."""

"""Traces, read back: runs listed, shown, measured, compared, and opened as a page."""

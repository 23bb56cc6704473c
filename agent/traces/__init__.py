"""Traces, read back: runs listed, shown, measured, compared, opened as a page, run again, forked and exported."""

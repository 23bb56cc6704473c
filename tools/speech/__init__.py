"""Tools for speech, sounds, translation and summaries."""

"""Reads recordings: files, streams, frames and samples."""

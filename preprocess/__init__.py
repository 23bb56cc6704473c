"""Turns video files into layers: media access, engines, layers and the pipeline."""

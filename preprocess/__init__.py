"""A video file in, layers out: media access, engines, layers and the pipeline."""

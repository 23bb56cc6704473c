"""One decoding of a video that feeds every observer."""

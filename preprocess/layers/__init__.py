"""The layers of a video, each with the step that builds it."""

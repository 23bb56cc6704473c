"""Questions that the picture answers."""

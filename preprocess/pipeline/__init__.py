"""From a file to an indexed video: the order of steps, their progress, and the index."""

"""The layers of a video: what is read, heard and described, each with its step."""

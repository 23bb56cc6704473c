"""Tool calls as models write them, read into one shape."""

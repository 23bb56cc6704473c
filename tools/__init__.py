"""The tools that a controller can call, and their catalogue."""

"""Tools for what is seen and written in the picture."""

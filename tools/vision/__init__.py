"""Tools for the picture and the text in it."""

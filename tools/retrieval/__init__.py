"""Tools that look something up: in the index, in the notes, on the web."""

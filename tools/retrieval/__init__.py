"""Tools that search: in the index, in the notes, on the web."""

"""What is remembered: records, the library on disk, the indexes, search and threads."""

"""Storage: records, the library on disk, the search indexes and the threads."""

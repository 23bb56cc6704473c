"""What a run came to, for people: reports, comparisons and files for other tools."""

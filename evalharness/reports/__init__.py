"""Reports, comparisons and files for other tools."""

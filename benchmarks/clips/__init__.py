"""Grades answers about a folder of open clips, and fits parameters to them."""

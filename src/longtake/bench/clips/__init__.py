"""Answers on a folder of open clips, graded, and what is fitted to them."""

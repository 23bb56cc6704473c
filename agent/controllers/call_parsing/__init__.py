"""Reads tool calls in all the forms in which models write them."""

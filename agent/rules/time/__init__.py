"""When things are: places named by other things, order, lengths and times."""

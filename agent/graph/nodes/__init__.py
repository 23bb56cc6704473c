"""The steps of the state machine, one a file."""

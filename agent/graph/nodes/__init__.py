"""The nodes of the state machine, one per file."""

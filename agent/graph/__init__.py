"""The state machine that answers a question: its state, its nodes, and what runs it."""

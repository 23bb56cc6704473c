"""The LangGraph state machine, its controllers, how claims are verified, and traces."""
